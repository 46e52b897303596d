import type { KubeClient } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import { defineResource, same, type Seen } from "../../plan/index.ts";
import { seeDoctor } from "./wait-next.ts";

export interface ApiWant {
  cluster: string;
  endpoint: string;
  /** Asked for the cause while the API is silent. */
  controlPlane: { node: string; address: string };
}

export interface ApiHave {
  endpoint: string;
}

export interface ApiSources {
  kube(cluster: string, server: string): Promise<KubeClient>;
  /** What stands in the way, as the control plane itself tells it. */
  causeOf(want: ApiWant): Promise<string | undefined>;
}

/** The Kubernetes API answers at the cluster's endpoint, and says it is ready. */
export const apiAnswers = (kind: string, sources: ApiSources) =>
  defineResource<ApiWant, ApiHave>({
    kind,

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
          return { done: false, seen, ...(known !== undefined && { cause: known }) };
        },
      );
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ endpoint: have.endpoint }),
  });

const causeEveryMs = 3_000;

/** Undefined when the API says it is ready. */
async function whyNotReady(sources: ApiSources, want: ApiWant): Promise<string | undefined> {
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
