import type { TalosService } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { apiAnswers, type ApiWant } from "../../kubernetes/index.ts";
import type { TalosAccess } from "./talos-access.ts";

/** The Kubernetes API of a Talos cluster; while it is silent, its first control plane says what it waits for. */
export const talosKubernetesApi = (access: TalosAccess) =>
  apiAnswers("talos/api", {
    kube: (cluster, server) => access.kube(cluster, server),
    causeOf: (want) => unmetConditions(access, want),
  });

/** What the control plane itself still waits for; of a service that does not run, what it says of itself. */
async function unmetConditions(access: TalosAccess, want: ApiWant): Promise<string | undefined> {
  const { node, address } = want.controlPlane;
  try {
    return await access.using(want.cluster, address, async (client) => {
      const first = (await client.machineStatus())?.unmet[0];
      if (first === undefined) return undefined;
      const failed = first.name === "services" ? (await client.services()).find(hasFailed) : undefined;
      return failed
        ? `${node}: ${failed.id} is Failed: ${failed.lastEvent.split("\n")[0] ?? ""}`
        : `${node}: ${first.name} ${first.reason}`;
    });
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

const hasFailed = ({ state }: TalosService): boolean => state === "Failed";
