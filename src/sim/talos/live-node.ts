import { ApiServer } from "./api-server.ts";
import { leaveEtcd } from "./etcd-calls.ts";
import { readImage } from "./node-disk.ts";
import type { Ending, TalosNode } from "./node.ts";
import { runControlPlane } from "./run-control-plane.ts";
import { runKubelet } from "./run-kubelet.ts";

/** From power-on until power is gone: one round per boot. Rejects with the signal's reason when power is cut. */
export async function liveNode(node: TalosNode, signal: AbortSignal): Promise<void> {
  let waitMs = node.world.latencies.bootMs;
  for (;;) {
    const ending = await runBoot(node, waitMs, signal);
    if (ending.kind === "shutdown" || (ending.kind === "reset" && !ending.reboots)) {
      node.power.powerOff();
      return;
    }
    waitMs = node.world.latencies.rebootMs;
  }
}

/** One boot, until the node is asked to end it. */
async function runBoot(node: TalosNode, waitMs: number, signal: AbortSignal): Promise<Ending> {
  const running = new AbortController();
  const either = AbortSignal.any([signal, running.signal]);
  node.running = either;
  const api = new ApiServer(node);
  const asked = new Promise<Ending>((resolve) => {
    node.end = (ending, actorId) => {
      node.events.ending(ending.kind, actorId ?? "");
      resolve(ending);
    };
  });
  const life = runSystem(node, api, waitMs, either);
  try {
    const ending = await Promise.race([asked, life.then(() => asked), rejectOnAbort(signal)]);
    finish(node, ending);
    return ending;
  } finally {
    node.end = () => undefined;
    running.abort(new Error("the system ends"));
    await life.catch(() => undefined);
    await (signal.aborted ? api.cut() : api.finish());
    node.cluster?.nodes.delete(node);
    node.isEtcdRunning = false;
    node.services.clear();
    node.changed();
  }
}

async function runSystem(
  node: TalosNode,
  api: ApiServer,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, latencies, random } = node.world;
  node.stage = "booting";
  node.config = undefined;
  node.events.clear();
  Object.assign(node.disk, node.disk.nextSystem, { bootId: uuid(random.bytes(16)) });
  delete node.disk.nextSystem;
  node.save();
  await clock.sleep(waitMs, signal);
  node.bootedAt = clock.now();
  for (const id of ["machined", "udevd", "syslogd", "containerd", "apid"]) node.services.start(id);

  if (node.disk.config === undefined) {
    node.setStage("maintenance");
    await api.open();
    await node.signals.until(() => node.disk.config !== undefined, signal);
    await api.finish();
    await clock.sleep(latencies.configureMs, signal);
  }
  node.configure(node.disk.config ?? "");
  if (!node.disk.isInstalled) {
    await install(node, signal);
    return;
  }
  node.setStage("booting");
  await openSecureApi(node, api, signal);
  await Promise.all([
    ...(node.isControlPlane ? [runControlPlane(node, signal)] : []),
    runKubelet(node, signal),
  ]);
}

/** A node that runs from an ISO writes itself to its disk and boots from there. */
async function install(node: TalosNode, signal: AbortSignal): Promise<void> {
  node.setStage("installing");
  await node.world.clock.sleep(node.world.latencies.installMs, signal);
  const { version, schematic } = readImage(node.config?.installImage ?? node.disk.version);
  Object.assign(node.disk, { version, schematic, isInstalled: true });
  node.save();
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
    const { version, schematic } = readImage(ending.image);
    Object.assign(node.disk, { version, schematic });
  }
  if (ending.kind === "reset") {
    node.setStage("resetting");
    if (ending.isGraceful && node.isEtcdRunning && (node.cluster?.members.length ?? 0) > 1) leaveEtcd(node);
    if (ending.isWholeDisk || ending.wipes.includes("STATE")) delete node.disk.config;
    if (ending.isWholeDisk || ending.wipes.includes("EPHEMERAL")) delete node.disk.etcdMemberId;
  }
  node.save();
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
