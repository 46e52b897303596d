import { SlipwayError } from "../../../../errors/index.ts";
import { limitTime } from "../../../../lib/index.ts";
import type { MachineSteps } from "../../../../plan/index.ts";
import type { Cluster } from "../../../../spec/index.ts";
import { contractOfConfig, readDocuments } from "../../config/index.ts";
import type { TalosAccess } from "../../talos-access.ts";

const patienceMs = 3_000;

/**
 * The form of config a cluster already runs with. It is kept when Talos is upgraded: moving to a newer form is a
 * change of its own, asked for in the file. Undefined when no control plane can tell.
 */
export async function runningContract(
  access: TalosAccess,
  cluster: Cluster,
  machines: MachineSteps,
): Promise<string | undefined> {
  if (!(await access.findBundle(cluster.name))) return undefined;
  const known = cluster.nodes.filter(
    (node) => node.role === "control-plane" && machines.existing.includes(node.name),
  );
  const answers = known.map((node) => askContract(access, cluster.name, node.address));
  return (await Promise.all(answers)).find((contract) => contract !== undefined);
}

async function askContract(
  access: TalosAccess,
  cluster: string,
  address: string,
): Promise<string | undefined> {
  try {
    return await limitTime(access.world.clock, patienceMs, "no answer", undefined, () =>
      access.using(cluster, address, async (node) => {
        const [config, { version }] = await Promise.all([node.machineConfig(), node.version()]);
        return config === undefined ? undefined : contractOfConfig(readDocuments(config, address), version);
      }),
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError || !(thrown instanceof Error)) return undefined;
    if (thrown.name === "TimeLimitError") return undefined;
    throw thrown;
  }
}
