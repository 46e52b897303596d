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
import { Places } from "../../lib/index.ts";
import type { NodeFaults, ReadContext } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { HealthFacts } from "./health-facts.ts";
import { choosePairs } from "./pairs.ts";

export interface NetworkReport {
  /** Nodes that are Ready, and so were tried. */
  nodes: string[];
  /** Nodes on which no pod of ours came up or came to its end, and why. */
  silent: NodeFaults;
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
    silent: { ...listeners.silent, ...askers.silent, ...talks.silent },
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
  return { inside, outside: { name, ...(upstream !== undefined && { upstream }) } };
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
): Promise<{ pods: KubePod[]; silent: NodeFaults }> {
  const labels = { ...options.labels, "slipway.dev/probe": what };
  const places = new Places(podsAtOnce);
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
  for (let looks = 0; ; looks += 1) {
    const { items } = await kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", ...place }, signal);
    const pods = items.filter(isSo);
    if (pods.length >= nodes.length) return { pods, silent: {} };
    if (clock.now() >= untilMs) return { pods, silent: await whySilent(kube, place, nodes, pods, signal) };
    await clock.sleep(Math.min(1_000, 100 * 2 ** looks), signal);
  }
}

async function whySilent(
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
): Promise<{ told: Map<string, Talk>; silent: NodeFaults }> {
  const told = new Map<string, Talk>();
  const silent: NodeFaults = {};
  const places = new Places(podsAtOnce);
  const read = async ({ metadata, spec }: KubePod): Promise<void> => {
    const node = spec?.nodeName ?? "";
    try {
      const { name, namespace = "" } = metadata;
      told.set(node, readTalk(await kube.logs({ name, namespace }, { signal })));
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || signal.aborted) throw thrown;
      silent[node] = `does not give the log of a pod: ${thrown.why}`;
    }
  };
  await Promise.all(pods.map((pod) => places.use(() => read(pod))));
  return { told, silent };
}
