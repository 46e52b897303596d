import {
  conditionOf,
  explainPods,
  isNodeReady,
  listenerPod,
  readTalk,
  scriptPod,
  talkScript,
  type KubeClient,
  type KubePod,
  type Manifest,
  type Peer,
  type ProbePod,
  type Question,
  type Talk,
} from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { Semaphore } from "../../lib/index.ts";
import type { NodeFaults, ReadContext } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { HealthFacts } from "./health-facts.ts";

export interface NetworkReport {
  /** Nodes that are Ready, and so were tried. */
  nodes: string[];
  /** Nodes on which no pod of ours came up or came to its end, and why. */
  unreachable: NodeFaults;
  talks: Map<string, Talk>;
  /** The names that were asked for: one of the cluster itself, one outside where there is a way out. */
  questions: { inside: Question; outside?: Question };
  isSampled: boolean;
}

export interface TryOptions extends Pick<ProbePod, "namespace" | "labels" | "image" | "lifeSeconds"> {
  waitMs: number;
}

const podsAtOnce = 16;

/** A pod on every node that listens, then one on every node that asks for names and for the others. */
export async function tryNetwork(
  kube: KubeClient,
  facts: HealthFacts,
  options: TryOptions,
  ctx: ReadContext,
): Promise<NetworkReport> {
  const known = await facts.nodes(ctx.signal);
  const nodes = facts.cluster.nodes.map(({ name }) => name).filter((name) => isReady(known.get(name)));
  const questions = questionsFor(facts.cluster, options.image);
  const listeners = await bringUp(kube, options, "listen", nodes, listenerPod, isUp, ctx);
  const peers = new Map(
    listeners.pods.map((pod): [string, Peer] => {
      const node = pod.spec?.nodeName ?? "";
      return [node, { node, address: pod.status?.podIP ?? "" }];
    }),
  );
  const { targets, isSampled } = choosePairs([...peers.keys()]);
  const asked = [questions.inside, ...(questions.outside ? [questions.outside] : [])];
  const askers = await bringUp(
    kube,
    options,
    "ask",
    [...peers.keys()],
    (pod) => scriptPod(pod, talkScript(asked, targetsOf(targets.get(pod.node), peers))),
    isOver,
    ctx,
  );
  const talks = await readTalks(kube, askers.pods, ctx.signal);
  return {
    ...{ nodes, questions, isSampled, talks: talks.told },
    unreachable: { ...listeners.unreachable, ...askers.unreachable, ...talks.unreachable },
  };
}

const isReady = (node: Parameters<typeof isNodeReady>[0] | undefined): boolean =>
  node !== undefined && isNodeReady(node);

const targetsOf = (names: string[] = [], peers: Map<string, Peer>): Peer[] =>
  names.flatMap((name) => peers.get(name) ?? []);

/** The name outside is one that nodes have to resolve anyway: where the image comes from. */
function questionsFor(cluster: Cluster, image: string): NetworkReport["questions"] {
  const inside = { name: `kubernetes.default.svc.${cluster.network.dnsDomain}` };
  const [host = ""] = image.split("/");
  const name = image.includes("/") && /^[^:]*\.[a-z]/i.test(host) ? host.replace(/:\d+$/, "") : "docker.io";
  const [upstream] = cluster.network.dns;
  // A folder of charts is for sites without a way out.
  if (cluster.charts !== undefined || /^[\d.]+$/.test(name)) return { inside };
  return { inside, outside: { name, upstream } };
}

const isUp = (pod: KubePod): boolean =>
  conditionOf(pod, "Ready")?.status === "True" && pod.status?.podIP !== undefined;
const isOver = (pod: KubePod): boolean => /^(Succeeded|Failed)$/.test(pod.status?.phase ?? "");

/** Makes a pod on each node and waits until all are so, or time is up. */
async function bringUp(
  kube: KubeClient,
  { waitMs, ...options }: TryOptions,
  what: string,
  nodes: string[],
  manifestOf: (pod: ProbePod) => Manifest,
  isSo: (pod: KubePod) => boolean,
  { signal, clock }: ReadContext,
): Promise<{ pods: KubePod[]; unreachable: NodeFaults }> {
  const labels = { ...options.labels, "slipway.dev/probe": what };
  const places = new Semaphore(podsAtOnce);
  await Promise.all(
    nodes.map((node) =>
      places.use(() =>
        kube.apply(manifestOf({ ...options, labels, node, name: `${what}-${node}` }), {
          ...{ isForced: true, signal },
        }),
      ),
    ),
  );
  const place = { namespace: options.namespace, labels: `slipway.dev/probe=${what}` };
  const untilMs = clock.now() + waitMs;
  for (let tries = 0; ; tries += 1) {
    const { items } = await kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", ...place }, signal);
    const pods = items.filter(isSo);
    if (pods.length >= nodes.length) return { pods, unreachable: {} };
    if (clock.now() >= untilMs)
      return { pods, unreachable: await whyUnreachable(kube, place, nodes, pods, signal) };
    await clock.sleep(Math.min(1_000, 100 * 2 ** tries), signal);
  }
}

async function whyUnreachable(
  kube: KubeClient,
  place: { namespace: string; labels: string },
  nodes: string[],
  good: KubePod[],
  signal: AbortSignal,
): Promise<NodeFaults> {
  const there = new Set(good.map((pod) => pod.spec?.nodeName));
  const troubles = await explainPods(kube, place, signal);
  return Object.fromEntries(
    nodes
      .filter((node) => !there.has(node))
      .map((node) => {
        const trouble = troubles.find((known) => known.node === node);
        return [node, trouble ? `cannot run a pod: ${trouble.why}` : "did not bring its pod to an end"];
      }),
  );
}

async function readTalks(
  kube: KubeClient,
  pods: KubePod[],
  signal: AbortSignal,
): Promise<{ told: Map<string, Talk>; unreachable: NodeFaults }> {
  const told = new Map<string, Talk>();
  const unreachable: NodeFaults = {};
  const places = new Semaphore(podsAtOnce);
  const read = async ({ metadata, spec }: KubePod): Promise<void> => {
    const node = spec?.nodeName ?? "";
    try {
      const { name, namespace = "" } = metadata;
      told.set(node, readTalk(await kube.logs({ name, namespace }, { signal })));
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || signal.aborted) throw thrown;
      unreachable[node] = `does not give the log of a pod: ${thrown.why}`;
    }
  };
  await Promise.all(pods.map((pod) => places.use(() => read(pod))));
  return { told, unreachable };
}

/** Up to this many nodes everyone is asked for everyone. */
const mostForAll = 16;

interface Pairs {
  /** Whom each node asks. */
  targets: Map<string, string[]>;
  isSampled: boolean;
}

/**
 * Who is to reach whom. In large clusters each node asks those 1, 2, 4, 8 … places further on, so that every node
 * asks and is asked, near and far, with a handful of questions each.
 */
export function choosePairs(nodes: string[]): Pairs {
  const isSampled = nodes.length > mostForAll;
  const steps = isSampled
    ? powersBelow(nodes.length)
    : Array.from({ length: Math.max(0, nodes.length - 1) }, (_, at) => at + 1);
  const targets = nodes.map((node, at): [string, string[]] => [
    node,
    steps.map((step) => nodes[(at + step) % nodes.length] ?? node),
  ]);
  return { targets: new Map(targets), isSampled };
}

const powersBelow = (count: number): number[] =>
  Array.from({ length: Math.ceil(Math.log2(count)) }, (_, power) => 2 ** power);
