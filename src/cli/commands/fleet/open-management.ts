import { connectKube, type KubeClient } from "../../../clients/kube/index.ts";
import { dialDirect, realClock } from "../../../lib/index.ts";
import { readInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { usualKubeconfig } from "../access/kubeconfig.ts";

export interface ManagementOptions {
  namespace: string;
  kubeconfig?: string;
}

/** The API server that the objects of a fleet are on. */
export async function openManagement(shell: Shell, options: ManagementOptions): Promise<KubeClient> {
  const kubeconfig = await readInput(options.kubeconfig ?? usualKubeconfig(shell));
  const { clock = realClock, dial = dialDirect } = shell.simulated ?? {};
  return connectKube({ kubeconfig, clock, dial, calls: shell.calls });
}
