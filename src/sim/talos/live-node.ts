import { ApiServer } from "./api/server.ts";
import { leaveEtcd, leaveProblem } from "./etcd/etcd-calls.ts";
import { upgradeProblem } from "./boot/upgrade-path.ts";
import { findSystem } from "./boot/firmware.ts";
import { enterMaintenance } from "./boot/maintenance.ts";
import { readInstaller, writeNodeDisk } from "./boot/node-disk.ts";
import type { Ending, TalosNode } from "./node.ts";
import { runControlPlane } from "./kubernetes/run-control-plane.ts";
import { runKubelet } from "./kubernetes/run-kubelet.ts";
import { diskName } from "./resources/hardware-resources.ts";

/** From power-on until power is gone: one round per boot. Rejects with the signal's reason when power is cut. */
export async function liveNode(node: TalosNode, signal: AbortSignal): Promise<void> {
  let waitMs = node.world.latencies.bootMs;
  for (;;) {
    const found = findSystem(node.hardware.boot, node.disks);
    if (found === undefined) {
      node.log("no bootable device");
      return;
    }
    node.disk = found.disk;
    node.systemSlot = found.slot;
    const ending = await (found.isHalted ? halt(node, signal) : runBoot(node, waitMs, signal));
    if (ending.kind === "shutdown" || (ending.kind === "reset" && !ending.reboots)) {
      node.power.powerOff();
      return;
    }
    waitMs = node.world.latencies.rebootMs;
  }
}

/** An ISO that finds an installed system does nothing more; only the power button is heard. */
function halt(node: TalosNode, signal: AbortSignal): Promise<Ending> {
  node.log(
    "[talos] Talos is already installed to disk but booted from another media and talos.halt_if_installed kernel parameter is set",
  );
  const asked = new Promise<Ending>((resolve) => {
    node.end = resolve;
  });
  return Promise.race([asked, rejectOnAbort(signal)]);
}

/** One boot, until the node is asked to end it. */
async function runBoot(node: TalosNode, waitMs: number, signal: AbortSignal): Promise<Ending> {
  const running = new AbortController();
  const work = new AbortController();
  node.running = AbortSignal.any([signal, running.signal]);
  const api = new ApiServer(node);
  const asked = new Promise<Ending>((resolve) => {
    node.end = (ending, actorId) => {
      node.events.ending(ending.kind, actorId ?? "");
      resolve(ending);
    };
  });
  const life = runSystem(node, api, waitMs, AbortSignal.any([node.running, work.signal]));
  try {
    const ending = await Promise.race([asked, life.then(() => asked), rejectOnAbort(signal)]);
    const hasRun = node.stage === "running";
    finish(node, ending);
    work.abort(new Error("the system ends"));
    await life.catch(() => undefined);
    if (hasRun) await leave(node, signal);
    return ending;
  } finally {
    node.end = () => undefined;
    running.abort(new Error("the system ends"));
    await life.catch(() => undefined);
    await (signal.aborted ? api.cut() : api.finish());
    if (node.cluster?.nodes.delete(node)) node.cluster.discovery.lose(node);
    node.isEtcdRunning = false;
    node.services.clear();
    node.changed();
    node.cluster?.changed();
  }
}

/** etcd and all pods stop first; the API answers until the system is gone. */
async function leave(node: TalosNode, signal: AbortSignal): Promise<void> {
  node.isEtcdRunning = false;
  const stopped = ["etcd", "kubelet"].filter((id) => node.services.get(id) !== undefined);
  for (const id of stopped) node.services.set(id, "Finished", "Service finished successfully", false);
  node.cluster?.changed();
  await node.world.clock.sleep(node.world.latencies.leaveMs, signal);
}

async function runSystem(
  node: TalosNode,
  api: ApiServer,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = node.world;
  node.stage = "booting";
  node.config = undefined;
  node.isEnding = false;
  node.firstConfig = undefined;
  node.founding = undefined;
  node.attempt = undefined;
  node.recovery = undefined;
  node.events.clear();
  node.events.sequence("initialize", "START");
  startSystem(node);
  node.disk.bootId = uuid(random.bytes(16));
  node.save();
  await clock.sleep(waitMs, signal);
  node.bootedAt = clock.now();
  node.events.phase("machined", "START");
  for (const id of ["machined", "udevd", "syslogd", "containerd", "apid"]) node.services.start(id);
  node.events.phase("machined", "STOP");
  node.events.addresses(node.hostname(), node.addresses());

  node.events.phase("config", "START");
  node.events.task("loadConfig", "START");
  takeSeed(node);
  if (node.disk.config === undefined) await waitForConfig(node, api, signal);
  node.events.task("loadConfig", "STOP");
  node.events.phase("config", "STOP");
  node.events.sequence("initialize", "STOP");
  const text = node.firstConfig ?? node.disk.config ?? "";
  node.configure(text);
  node.events.sequence("install", "START");
  const runsFromMemory = node.minor >= 14 && node.readConfig(text).install === undefined;
  if (!node.disk.isInstalled && !runsFromMemory) {
    await install(node, api, signal);
    if (node.isEnding) return;
    await api.finish();
  }
  node.events.sequence("install", "STOP");
  node.events.sequence("boot", "START");
  node.setStage("booting");
  node.events.phase("startEverything", "START");
  node.events.task("startAllServices", "START");
  await openSecureApi(node, api, signal);
  await Promise.all([
    ...(node.isControlPlane ? [runControlPlane(node, signal)] : []),
    runKubelet(node, signal),
  ]);
}

/** Maintenance mode. A config that is taken comes into force a moment later; meanwhile the connections that stand go on. */
async function waitForConfig(node: TalosNode, api: ApiServer, signal: AbortSignal): Promise<void> {
  const { clock, latencies } = node.world;
  node.events.task("runningMaintenance", "START");
  await enterMaintenance(node);
  await api.open();
  await node.signals.until(() => node.firstConfig !== undefined, signal);
  node.print("machine configuration was applied, leaving maintenance mode");
  await clock.sleep(latencies.configureMs / 2, signal);
  await api.finish(latencies.drainMs);
  await clock.sleep(latencies.configureMs / 2, signal);
  node.events.task("runningMaintenance", "STOP");
}

/** A complete config on the seed is taken by a node that has none; what begins like cloud-init's is not for Talos. */
function takeSeed(node: TalosNode): void {
  const { userData = "" } = node.seed ?? {};
  if (node.disk.config !== undefined || userData === "" || userData.startsWith("#cloud-config")) return;
  node.readConfig(userData);
  node.disk.config = userData;
  node.save();
}

/**
 * The system written by an upgrade runs from this boot on. When its start fails, the loader takes the one before it:
 * the fault `talos boot VERSION` makes that happen, whatever its kind.
 */
function startSystem(node: TalosNode): void {
  const { disk, world } = node;
  const { nextSystem, version, schematic, platform } = disk;
  delete disk.nextSystem;
  if (nextSystem === undefined) return;
  if (world.faults.next(`talos boot ${nextSystem.version}`) !== undefined) {
    node.log(`[talos] v${nextSystem.version} did not start, falling back to v${version}`);
    return;
  }
  Object.assign(disk, nextSystem, { previousSystem: { version, schematic, platform } });
}

/**
 * A node that runs from an ISO writes itself to its disk and boots from there. The API of a control plane answers
 * meanwhile, and up to 1.13 it takes a Bootstrap that the reboot then forgets.
 */
async function install(node: TalosNode, api: ApiServer, signal: AbortSignal): Promise<void> {
  node.setStage("installing");
  if (node.isControlPlane) await openSecureApi(node, api, signal);
  await node.world.clock.sleep(node.world.latencies.installMs, signal);
  const { image, reboots = true } = node.config?.install ?? {};
  const slot = installSlot(node);
  if (slot === undefined) {
    // Nothing was written, so the node comes back without its config.
    node.log("[talos] install failed: no disk matches the install section, rebooting");
    node.isEnding = true;
    node.end({ kind: "reboot" });
    return;
  }
  const system = readInstaller(image ?? `installer:v${node.disk.version}`, node.disk);
  const target = (node.disks[slot] ??= {});
  if (!reboots) {
    Object.assign(node.disk, { isInstalled: true, nextSystem: system });
    writeNodeDisk(target, node.disk);
    node.systemSlot = slot;
    node.save();
    return;
  }
  // Until the reboot the node runs, and tells, the system of the ISO.
  writeNodeDisk(target, { ...node.disk, ...system, isInstalled: true });
  node.save();
  node.isEnding = true;
  node.end({ kind: "reboot" });
}

/** A control plane signs its own certificate; a worker's API stays shut until a control plane can sign it one. */
async function openSecureApi(node: TalosNode, api: ApiServer, signal: AbortSignal): Promise<void> {
  const { cluster } = node;
  if (cluster === undefined) return;
  node.services.start("cri");
  node.services.set("kubelet", "Waiting", "Waiting for service cri to be up");
  if (node.isControlPlane) {
    node.services.start("trustd");
    const hasData = node.disk.etcdMemberId !== undefined;
    node.services.set(
      "etcd",
      hasData ? "Starting" : "Preparing",
      hasData ? "Starting service" : "Running pre state",
    );
  } else {
    await cluster.signals.until(() => cluster.canIssueFor(node), signal);
  }
  await api.open();
  cluster.nodes.add(node);
  cluster.changed();
}

/** What the ending leaves on the disk. */
function finish(node: TalosNode, ending: Ending): void {
  if (ending.kind === "reboot") node.setStage("rebooting");
  if (ending.kind === "shutdown") node.setStage("shuttingDown");
  if (ending.kind === "upgrade") {
    node.setStage("upgrading");
    const system = readInstaller(ending.image, node.disk);
    const problem = upgradeProblem(node.disk.version, system.version);
    if (problem === undefined) node.disk.nextSystem = system;
    else node.log(`[talos] upgrade failed: ${problem}`);
  }
  if (ending.kind === "reset") {
    node.setStage("resetting");
    if (ending.isGraceful && node.isEtcdRunning && leaveProblem(node) === undefined) leaveEtcd(node);
    if (ending.isWholeDisk || ending.wipes.includes("STATE")) delete node.disk.config;
    if (ending.isWholeDisk || ending.wipes.includes("EPHEMERAL")) delete node.disk.etcdMemberId;
    if (ending.isWholeDisk) wipeDisk(node);
    if (node.cluster?.nodes.delete(node)) node.cluster.discovery.forget(node);
  }
  node.save();
}

/** Without its disk a machine can only start from an ISO that is still in its drive. */
function wipeDisk(node: TalosNode): void {
  delete node.disk.nextSystem;
  delete node.disk.previousSystem;
  Object.assign(node.disk, { isInstalled: false, isBlank: true });
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

function uuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The slot of the disk that the config wants Talos on; absent when the machine has no such disk. */
function installSlot(node: TalosNode): string | undefined {
  const { disks } = node.hardware;
  const { disk: path, selector } = node.config?.install ?? {};
  if (path !== undefined) {
    return disks.find((disk, index) => `/dev/${diskName(disk.slot, index)}` === path)?.slot;
  }
  const { size = "", serial = "" } = selector ?? {};
  return disks.find(
    (disk) => fitsSize(disk.sizeBytes, size) && (serial === "" || (disk.serial ?? disk.slot) === serial),
  )?.slot;
}

const units: Record<string, number> = {
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `50GB`, `>= 100GB`, `< 1TiB`; nothing fits everything. */
function fitsSize(bytes: number, wanted: string): boolean {
  const [, sign = "==", number = "", unit = ""] =
    /^\s*([<>=]=?)?\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)?B?\s*$/i.exec(wanted) ?? [];
  if (number === "") return true;
  const size = Number(number) * (units[unit] ?? 1);
  if (sign === ">=") return bytes >= size;
  if (sign === "<=") return bytes <= size;
  if (sign === ">") return bytes > size;
  return sign === "<" ? bytes < size : bytes === size;
}
