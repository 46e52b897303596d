import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { resourceOf } from "../ha/ha.ts";
import { callManager } from "../ha/manager.ts";
import { vmLockFile, vmLockWaitMs } from "../locks.ts";
import { rootUser } from "../access/privileges.ts";
import type { Vm } from "../state.ts";
import { startTask, stopTask, type TaskRun } from "../tasks.ts";
import { demandUnlocked, findProcess, findVm } from "./config/config.ts";
import { cutPower, resetVm, runGuest, shutDown, startVm } from "./power.ts";

const defaultShutdownSeconds = 60;
/** What is left of a machine that went down is cleared away before it starts again. */
const cleanUpMs = 1000;

/** What a migration tells the start on its other end. */
const rootOnlyAtStart = [
  "stateuri",
  "skiplock",
  "migratedfrom",
  "migration_type",
  "migration_network",
  "targetstorage",
  "force-cpu",
  "with-conntrack-state",
  "nets-host-mtu",
];

interface Machine {
  node: string;
  vmid: number;
  skiplock?: boolean;
}

export const vmPowerCalls: Handlers<
  | "POST /nodes/{node}/qemu/{vmid}/status/start"
  | "POST /nodes/{node}/qemu/{vmid}/status/stop"
  | "POST /nodes/{node}/qemu/{vmid}/status/shutdown"
  | "POST /nodes/{node}/qemu/{vmid}/status/reset"
  | "POST /nodes/{node}/qemu/{vmid}/status/reboot"
  | "POST /nodes/{node}/qemu/{vmid}/status/suspend"
  | "POST /nodes/{node}/qemu/{vmid}/status/resume"
> = {
  "POST /nodes/{node}/qemu/{vmid}/status/start": (context, params) => {
    demandRootFor(context, params, rootOnlyAtStart);
    if (params.targetstorage && !params.migratedfrom) {
      throw badParameter({ targetstorage: "targetstorage can only by used with migratedfrom." });
    }
    const { cluster } = context;
    if (isManaged(context, params)) return askManager(context, params, "hastart", "started");
    return context.task(params.node, "qmstart", params.vmid, (run) =>
      cluster.locks.hold(vmLockFile(params.vmid), vmLockWaitMs, async () => {
        const vm = findVm(cluster, params.node, params.vmid);
        await startVm(cluster, vm, run.signal, params.skiplock);
      }),
    );
  },

  "POST /nodes/{node}/qemu/{vmid}/status/stop": (context, params) => {
    const { cluster } = context;
    demandRootFor(context, params, ["skiplock", "keepActive", "migratedfrom"]);
    if (isManaged(context, params)) {
      if (params["overrule-shutdown"]) {
        throw badParameter({ "overrule-shutdown": "Not applicable for HA resources." });
      }
      return askManager(context, params, "hastop", "stopped");
    }
    if (params["overrule-shutdown"]) interruptShutdown(context, params.vmid);
    return powerTask(context, params, "qmstop", async (vm, run) => {
      if (!vm.running) return;
      demandFree(vm, params);
      await cluster.clock.sleep(cluster.latencies.stopMs, run.signal);
      await cutPower(cluster, vm);
    });
  },

  "POST /nodes/{node}/qemu/{vmid}/status/shutdown": (context, params) => {
    const { cluster } = context;
    demandRootFor(context, params, ["skiplock", "keepActive"]);
    if (!params.forceStop) demandAwake(context, params.vmid);
    if (isManaged(context, params)) return askManager(context, params, "hastop", "stopped");
    return powerTask(context, params, "qmshutdown", async (vm, run) => {
      if (!vm.running) return;
      demandFree(vm, params);
      // Who stands still hears nothing.
      const isDeaf = vm.running.isPaused && params.forceStop === true;
      const timeoutMs = isDeaf ? 0 : (params.timeout ?? patienceSeconds(vm)) * 1000;
      if (await shutDown(cluster, vm, timeoutMs, run.signal)) return;
      if (!params.forceStop) throw refusal("VM quit/powerdown failed - got timeout");
      run.log("VM still running - terminating now with SIGTERM");
      await cutPower(cluster, vm);
    });
  },

  "POST /nodes/{node}/qemu/{vmid}/status/reset": (context, params) => {
    demandRootFor(context, params, ["skiplock"]);
    demandRunning(context, params);
    return powerTask(context, params, "qmreset", async (vm) => {
      demandFree(vm, params);
      await resetVm(context.cluster, vm);
    });
  },

  "POST /nodes/{node}/qemu/{vmid}/status/reboot": (context, params) => {
    const { cluster } = context;
    demandAwake(context, params.vmid);
    demandRunning(context, params);
    return powerTask(context, params, "qmreboot", async (vm, run) => {
      demandFree(vm, params);
      const timeoutMs = (params.timeout ?? patienceSeconds(vm)) * 1000;
      if (!(await shutDown(cluster, vm, timeoutMs, run.signal))) {
        throw refusal("VM quit/powerdown failed - got timeout");
      }
      startAgain(context, vm);
    });
  },

  "POST /nodes/{node}/qemu/{vmid}/status/suspend": (context, params) => {
    demandRootFor(context, params, ["skiplock"]);
    demandRunning(context, params);
    return powerTask(context, params, "qmpause", async (vm) => {
      demandFreeToPause(vm, params);
      setPaused(context, vm, true);
    });
  },

  "POST /nodes/{node}/qemu/{vmid}/status/resume": (context, params) => {
    demandRootFor(context, params, ["skiplock", "nocheck"]);
    const { cluster } = context;
    // What was put to sleep on a disk wakes up by being switched on.
    const isAsleep = cluster.state.vms[String(params.vmid)]?.config["lock"] === "suspended";
    if (!isAsleep) demandRunning(context, params);
    return powerTask(context, params, "qmresume", async (vm, run) => {
      if (isAsleep) return startVm(cluster, vm, run.signal, params.skiplock);
      if (!vm.running?.isPaused) return;
      demandFreeToPause(vm, params);
      setPaused(context, vm, false);
    });
  },
};

const isManaged = ({ cluster }: CallContext, { vmid, skiplock }: Machine): boolean =>
  skiplock !== true && resourceOf(cluster, vmid) !== undefined;

/** Switching a highly available machine is a wish: its manager fulfils it on its next round. */
function askManager(
  context: CallContext,
  { node, vmid }: Machine,
  type: "hastart" | "hastop",
  state: "started" | "stopped",
): string {
  const { cluster } = context;
  return context.task(node, type, vmid, async (run) => {
    run.log(`Requesting HA ${state === "started" ? "start" : "stop"} for VM ${vmid}`);
    const resource = resourceOf(cluster, vmid);
    if (resource) resource.state = state;
    cluster.changed();
    callManager(cluster, vmid);
  });
}

/** A machine can say for itself how long it takes to go down. */
const patienceSeconds = ({ config }: Vm): number =>
  Number(/\bdown=(\d+)/.exec(String(config["startup"] ?? ""))?.[1] ?? defaultShutdownSeconds);

/** Power jobs hold the machine's lock as long as they run. */
function powerTask(
  context: CallContext,
  { node, vmid }: Machine,
  type: string,
  work: (vm: Vm, run: TaskRun) => Promise<void>,
): string {
  const { cluster } = context;
  return context.task(node, type, vmid, (run) =>
    cluster.locks.hold(vmLockFile(vmid), vmLockWaitMs, () => work(findProcess(cluster, node, vmid), run)),
  );
}

/** What is switched off is not used: only values that say something are root's. */
export function demandRootFor(context: CallContext, params: object, names: readonly string[]): void {
  const values = params as Record<string, unknown>;
  const given = names.find((name) => Boolean(values[name]) && values[name] !== "0");
  if (given !== undefined && !context.caller.isRoot) {
    throw badParameter({ [given]: "Only root may use this option." });
  }
}

function demandFree(vm: Vm, params: Machine): void {
  if (!params.skiplock) demandUnlocked(vm);
}

/** A guest that stands still would hear of it only when it goes on. */
function demandAwake({ cluster }: CallContext, vmid: number): void {
  if (cluster.state.vms[String(vmid)]?.running?.isPaused) throw refusal("VM is paused - cannot shutdown");
}

/** Asked before the task is started. */
function demandRunning({ cluster }: CallContext, { node, vmid }: Machine): void {
  if (!findProcess(cluster, node, vmid).running) throw refusal(`VM ${vmid} not running`);
}

function interruptShutdown({ cluster }: CallContext, vmid: number): void {
  for (const task of cluster.state.tasks) {
    const isShutdown = task.type === "qmshutdown" && task.id === String(vmid);
    if (isShutdown && task.exitstatus === undefined) stopTask(cluster, task.upid);
  }
}

/** `start=1` of another job is a task of its own: that job is done even if the start fails. */
export function startLater(context: CallContext, vm: Vm): void {
  const { cluster } = context;
  context.task(vm.node, "qmstart", vm.vmid, (run) =>
    cluster.locks.hold(vmLockFile(vm.vmid), vmLockWaitMs, () =>
      startVm(cluster, findVm(cluster, vm.node, vm.vmid), run.signal),
    ),
  );
}

/** The node itself starts a rebooted machine again, in the name of root, after the reboot task has ended. */
function startAgain({ cluster }: CallContext, vm: Vm): void {
  const owner = { node: vm.node, type: "qmstart", id: String(vm.vmid), owner: rootUser };
  startTask(cluster, owner, async (run) => {
    await cluster.clock.sleep(cleanUpMs, run.signal);
    await cluster.locks.hold(vmLockFile(vm.vmid), vmLockWaitMs, () =>
      startVm(cluster, findVm(cluster, vm.node, vm.vmid), run.signal),
    );
  });
}

/** A backup does not mind. */
function demandFreeToPause(vm: Vm, params: Machine): void {
  if (vm.config["lock"] !== "backup") demandFree(vm, params);
}

function setPaused({ cluster }: CallContext, vm: Vm, isPaused: boolean): void {
  if (vm.running) vm.running.isPaused = isPaused;
  if (!isPaused) runGuest(cluster, vm);
  cluster.changed();
}
