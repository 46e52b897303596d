import { SlipwayError } from "../../../errors/index.ts";
import { apiAnswers, type ApiWant } from "../../kubernetes/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** The Kubernetes API of a Talos cluster; while it is silent, its first control plane says what it waits for. */
export const talosKubernetesApi = (access: TalosAccess) =>
  apiAnswers("talos/api", {
    kube: (cluster, server) => access.kube(cluster, server),
    causeOf: (want) => unmetConditions(access, want),
  });

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
