import { SlipwayError } from "../../../errors/index.ts";
import { defineResource, same, type Seen } from "../../../plan/index.ts";
import type { TalosAccess } from "./talos-access.ts";

export interface ApiWant {
  cluster: string;
  endpoint: string;
  /** Asked for the cause while the API is silent. */
  controlPlane: { node: string; address: string };
}

export interface ApiHave {
  endpoint: string;
}

/** The Kubernetes API answers at the cluster's endpoint, and says it is ready. */
export const talosKubernetesApi = (access: TalosAccess) =>
  defineResource<ApiWant, ApiHave>({
    kind: "talos/api",

    async read(_ctx, want) {
      const kube = await access.kube(want.cluster, want.endpoint);
      const isReady = await kube.isReady().catch(orFalse);
      return isReady ? { endpoint: want.endpoint } : undefined;
    },

    compare: () => same,

    create: (ctx, want) =>
      ctx.waitFor(
        {
          what: `${new URL(want.endpoint).host} to answer`,
          probe: "https",
          deadlineMs: 600_000,
          usualMs: 34_000,
        },
        async (): Promise<Seen<ApiHave>> => {
          const kube = await access.kube(want.cluster, want.endpoint);
          let seen = "not ready yet";
          try {
            if (await kube.isReady()) return { done: true, value: { endpoint: want.endpoint } };
          } catch (thrown) {
            if (!(thrown instanceof SlipwayError)) throw thrown;
            seen = thrown.why;
          }
          const cause = await unmetConditions(access, want);
          return { done: false, seen, ...(cause !== undefined && { cause }) };
        },
      ),

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ endpoint: have.endpoint }),
  });

function orFalse(thrown: unknown): false {
  if (thrown instanceof SlipwayError) return false;
  throw thrown;
}

/** What the control plane itself still waits for. */
async function unmetConditions(access: TalosAccess, want: ApiWant): Promise<string | undefined> {
  const { node, address } = want.controlPlane;
  try {
    const status = await access.using(want.cluster, address, (client) => client.machineStatus());
    const first = status?.unmet[0];
    return first ? `${node}: ${first.name} ${first.reason}` : undefined;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}
