import { runPlan } from "../engine/index.ts";
import { comparePlan, planEvent, type Plan } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { notRollable } from "./errors.ts";
import { findNode } from "./fleet/find-node.ts";
import { assemble, readContext } from "./planning/assemble.ts";
import { notConfirmed } from "./planning/errors.ts";
import { withPodsAtRisk } from "./planning/rollout/pods-at-risk.ts";
import { guardedRun } from "./run/guarded-run.ts";
import { tellRunReport, type RunReport } from "./run/run-report.ts";

export interface RollbackNodeRequest {
  fleet: Fleet;
  /** `homelab/cp-2`, or `cp-2` where one cluster alone has such a node. */
  node: string;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(plan: Plan, cluster: string): Promise<boolean>;
}

/** Let one node boot the system it ran before its last upgrade. The file stays as it is: `up` would bring it forward again. */
export function rollBackNode(
  { fleet, node: name, confirm }: RollbackNodeRequest,
  outside: World,
): Promise<RunReport> {
  const { cluster, node } = findNode(fleet, name);
  const clusters = [cluster.name];
  return guardedRun(
    { command: "rollback", again: `slipway rollback ${cluster.name}/${node.name}`, fleet, clusters },
    outside,
    async ({ startedAt, world, claim }) => {
      const parts = assemble(world, fleet);
      const step = parts.distribution.rollbackStep?.(cluster, node);
      if (!step) throw notRollable({ cluster: cluster.name, node: node.name });
      const ctx = readContext(world);
      const plan = await withPodsAtRisk(await comparePlan([step], parts.kinds, ctx), [cluster], parts, ctx);
      world.tell(planEvent(plan));
      await claim();
      if (!(await confirm(plan, cluster.name))) throw notConfirmed("the question was answered with no");
      const result = await runPlan(plan, parts.kinds, world);
      const isStopped = world.stop.aborted && result.stopped.length > 0;
      return tellRunReport(world, {
        outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
        startedAt,
        result,
        kept: "the file says what it said; nothing was removed",
      });
    },
  );
}
