import { type KubeClient, isNodeReady, type KubeNode } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import { defineResource, same, type Seen, type StepContext } from "../../plan/index.ts";

export interface ApiWant {
  cluster: string;
  endpoint: string;
  /** Asked for the cause while the API is silent. */
  controlPlane: { node: string; address: string };
}

export interface ApiHave {
  endpoint: string;
}

interface ApiSources<Want extends ApiWant> {
  kube(cluster: string, server: string): Promise<KubeClient>;
  /** What stands in the way, as the control plane itself tells it. */
  causeOf(want: Want): Promise<string | undefined>;
}

/** The Kubernetes API answers at the cluster's endpoint, and says it is ready. */
export const apiAnswers = <Want extends ApiWant>(kind: string, sources: ApiSources<Want>) =>
  defineResource<Want, ApiHave>({
    kind,
    face: () => ({ label: "API", inText: "the API" }),

    read: async (_ctx, want) =>
      (await whyNotReady(sources, want)) === undefined ? { endpoint: want.endpoint } : undefined,

    compare: () => same,

    create(ctx, want) {
      const { host } = new URL(want.endpoint);
      const cause = rarely(causeEveryMs, ctx.clock, () => sources.causeOf(want));
      return ctx.waitFor(
        {
          what: `${host} to answer`,
          probe: "https",
          deadlineMs: 600_000,
          usualMs: 34_000,
          next: seeDoctor(want.cluster),
        },
        async (): Promise<Seen<ApiHave>> => {
          const seen = await whyNotReady(sources, want);
          if (seen === undefined) return { done: true, value: { endpoint: want.endpoint } };
          const known = await cause();
          return { done: false, seen, cause: known };
        },
      );
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ endpoint: have.endpoint }),
  });

const causeEveryMs = 3_000;

/** Undefined when the API says it is ready. */
async function whyNotReady(
  sources: Pick<ApiSources<ApiWant>, "kube">,
  want: ApiWant,
): Promise<string | undefined> {
  const kube = await sources.kube(want.cluster, want.endpoint);
  try {
    return (await kube.isReady()) ? undefined : "it answers, but is not ready yet";
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return thrown.why;
    throw thrown;
  }
}

/** Asks again only after a while; in between the last answer stands. */
function rarely<T>(everyMs: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let asked: { atMs: number; answer: Promise<T> } | undefined;
  return () => {
    if (asked === undefined || clock.now() - asked.atMs >= everyMs)
      asked = { atMs: clock.now(), answer: ask() };
    return asked.answer;
  };
}

export interface NodesWant {
  cluster: string;
  endpoint: string;
  nodes: { name: string; address: string }[];
}

/** Waits until every node of the file is registered with Kubernetes and Ready. `look` lists them, and may help. */
export async function waitForNodes(
  ctx: StepContext,
  { cluster, nodes }: NodesWant,
  look: () => Promise<KubeNode[]>,
): Promise<KubeNode[]> {
  const all = nodes.length;
  return ctx.waitFor(
    {
      what: `${all === 1 ? "1 node" : `${all} nodes`} to be Ready`,
      probe: "https",
      deadlineMs: 900_000,
      usualMs: 18_000,
      next: seeDoctor(cluster),
      // The answer grows with the cluster.
      everyMs: Math.max(250, all * 3),
    },
    async (): Promise<Seen<KubeNode[]>> => {
      const found = await look();
      const missing = notReady(nodes, found);
      if (missing.length === 0) return { done: true, value: found };
      ctx.progress(all - missing.length, all, "steps");
      return { done: false, seen: describe(all, missing, found) };
    },
  );
}

/** Names of those that Kubernetes does not know, or does not call Ready. */
export function notReady(nodes: NodesWant["nodes"], found: KubeNode[]): string[] {
  const ready = new Set(found.filter(isNodeReady).map((node) => node.metadata.name));
  return nodes.map((node) => node.name).filter((name) => !ready.has(name));
}

/** `4 of 6 Ready: worker-2 not registered, worker-3 not Ready`. */
function describe(all: number, missing: string[], found: KubeNode[]): string {
  const registered = new Set(found.map((node) => node.metadata.name));
  const named = missing
    .slice(0, 3)
    .map((name) => `${name} ${registered.has(name) ? "not Ready" : "not registered"}`);
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return `${all - missing.length} of ${all} Ready: ${named.join(", ")}${rest}`;
}

/** What a person can do when a wait for a cluster took too long: let doctor look why. */
export const seeDoctor = (cluster: string): string =>
  `See why with "slipway doctor ${cluster}"; "slipway up ${cluster}" then goes on from here`;
