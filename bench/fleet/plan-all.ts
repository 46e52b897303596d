import { manyClusters, type FleetSize } from "../../test/support/controller/many-clusters.ts";
import { using, type ProcessUse } from "./usage.ts";

export interface PlanAllFigures extends ProcessUse {
  /** Calls to hypervisors, of all clusters. */
  hostCalls: number;
  /** Steps that all plans have together. */
  steps: number;
}

/** S1: every cluster of a new fleet is planned once. CPU and memory are those of the simulated hosts and the API server, too. */
export async function planAll(size: FleetSize): Promise<PlanAllFigures> {
  const site = await manyClusters(size, { apply: "Never" });
  try {
    let hostCalls = 0;
    const { use } = await using(async () => {
      const controller = await site.start("one");
      controller.trace.listen(({ protocol }) => (hostCalls += protocol === "proxmox" ? 1 : 0));
      await site.untilAll(({ status }) => status?.plan !== undefined);
    });
    const steps = (await site.objects()).reduce((sum, { status }) => sum + (status?.plan?.changes ?? 0), 0);
    return { ...use, hostCalls, steps };
  } finally {
    await site.close();
  }
}
