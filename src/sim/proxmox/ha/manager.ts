import type { Cluster } from "../cluster.ts";
import { requestedState, sidOf } from "./ha.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import { rootUser } from "../access/privileges.ts";
import { isOnline, isQuorate } from "../nodes/quorum.ts";
import { startTask } from "../tasks.ts";
import { migrateVm } from "../vm/migrate.ts";
import { cutPower, shutDown, startVm } from "../vm/power.ts";

const shutdownMs = 60_000;

/**
 * Lets the manager look at a machine on its next round: it starts what should run and stops what should not, in the
 * name of root. It moves only what it was asked to move; where machines stand is what people and their tools decided.
 */
export function callManager(cluster: Cluster, vmid: number): void {
  const sid = sidOf(vmid);
  if (!cluster.state.ha.resources[sid] || cluster.workers.has(sid)) return;
  const abort = new AbortController();
  const done = cluster.clock
    .sleep(cluster.latencies.haRoundMs, abort.signal)
    .then(() => {
      cluster.workers.delete(sid);
      visit(cluster, vmid);
    })
    .catch(() => void cluster.workers.delete(sid));
  cluster.workers.set(sid, { abort, done });
}

/** After a restart the manager looks at everything it is responsible for. */
export function callManagerForAll(cluster: Cluster): void {
  for (const vm of Object.values(cluster.state.vms)) callManager(cluster, vm.vmid);
}

function visit(cluster: Cluster, vmid: number): void {
  const vm = cluster.state.vms[String(vmid)];
  const resource = cluster.state.ha.resources[sidOf(vmid)];
  if (!vm || !resource || !isQuorate(cluster) || !isOnline(cluster, vm.node)) return;
  const wanted = requestedState(resource);
  const alone = (work: () => Promise<void>) => cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, work);
  const start = { node: vm.node, id: String(vmid), owner: rootUser };
  const { moveTo } = resource;
  if (moveTo !== undefined) {
    startTask(cluster, { ...start, type: "qmigrate" }, async (run) => {
      try {
        // Whatever was said about storages is forgotten on the way through the manager.
        await alone(() =>
          migrateVm(cluster, vm, { target: moveTo, withLocalDisks: true, storages: {} }, run),
        );
      } finally {
        delete resource.moveTo;
      }
    });
    return;
  }
  if (wanted === "started" && !vm.running) {
    startTask(cluster, { ...start, type: "qmstart" }, (run) =>
      alone(async () => {
        if (!vm.running) await startVm(cluster, vm, run.signal);
      }),
    );
  } else if (wanted !== "started" && wanted !== "ignored" && vm.running) {
    startTask(cluster, { ...start, type: "qmshutdown" }, (run) =>
      alone(async () => {
        if (!(await shutDown(cluster, vm, shutdownMs, run.signal))) await cutPower(cluster, vm);
      }),
    );
  }
}
