import { Code, ConnectError } from "@connectrpc/connect";
import { machineApi } from "../../../clients/talos/index.ts";
import { inNextTurn } from "../../../lib/index.ts";
import { unary } from "./targets.ts";
import { leaveProblem } from "../etcd/etcd-calls.ts";
import { diskName } from "../resources/hardware-resources.ts";
import type { Ending, TalosNode } from "../node.ts";

const systemPartitions = new Set(["STATE", "EPHEMERAL", "META", "BOOT", "EFI", "BIOS"]);
const { ResetRequest_WipeMode: WipeMode } = machineApi;

/** The calls that end the running system. All are answered before it ends. */
export const shutdownCalls = {
  reboot: unary((node) => end(node, { kind: "reboot" })),
  shutdown: unary((node) => end(node, { kind: "shutdown" })),
  reset: unary(reset),
  rollback: unary((node) => {
    const { previousSystem } = node.disk;
    if (previousSystem === undefined) {
      throw new ConnectError("no previous system to roll back to", Code.FailedPrecondition);
    }
    node.disk.nextSystem = previousSystem;
    node.save();
    end(node, { kind: "reboot" });
    return {};
  }),
  upgrade: unary((node, request: machineApi.UpgradeRequest) => {
    if (request.image === "") throw new ConnectError("image is required", Code.InvalidArgument);
    if (!node.disk.isInstalled) throw new ConnectError("machine is not installed", Code.FailedPrecondition);
    const isUnchecked = request.force || (request.preserve && node.minor >= 12);
    if (!isUnchecked) checkEtcd(node);
    return { ack: "Upgrade request received", ...end(node, { kind: "upgrade", image: request.image }) };
  }),
};

/** Starts the end of the running system once the answer is on its way. */
function end(node: TalosNode, ending: Ending): { actorId: string } {
  const actorId = newActor(node);
  node.isEnding = true;
  inNextTurn(() => node.end(ending, actorId));
  return { actorId };
}

const newActor = (node: TalosNode): string => node.world.random.bytes(16).toString("hex");

/** What the older upgrade call looks at on a control plane; the newer services do not. */
function checkEtcd(node: TalosNode): void {
  const { cluster } = node;
  if (!node.isControlPlane || cluster === undefined || node.disk.etcdMemberId === undefined) return;
  const running = [...cluster.nodes].filter((other) => other.isEtcdRunning).length;
  const problem =
    cluster.members.length === 2
      ? "etcd member count 2 is insufficient to maintain quorum if upgrade commences"
      : running < cluster.members.length
        ? `etcd members are not all healthy: ${running} of ${cluster.members.length}`
        : undefined;
  if (problem !== undefined) {
    throw new ConnectError(`error validating etcd for upgrade: ${problem}`, Code.FailedPrecondition);
  }
}

function reset(node: TalosNode, request: machineApi.ResetRequest) {
  const labels = request.systemPartitionsToWipe.map((partition) => partition.label);
  const unknown = labels.find((label) => !systemPartitions.has(label));
  if (unknown !== undefined) {
    throw new ConnectError(`partition "${unknown}" is not found`, Code.InvalidArgument);
  }
  const isContainer = node.disk.platform === "container";
  if (isContainer && labels.length > 0)
    throw new ConnectError(`failed to reset: volume "${labels[0]}" is not located`, Code.Unknown);
  checkDisks(node, request, labels);
  const problem = request.graceful ? leaveProblem(node) : undefined;
  if (problem !== undefined) {
    // The answer is the same as ever; only the events tell that it came to nothing.
    const actorId = newActor(node);
    inNextTurn(() => node.events.failed("reset", problem, actorId));
    return { actorId };
  }
  return end(node, {
    kind: "reset",
    // Who runs a container starts it anew, with empty volumes.
    wipes: isContainer
      ? ["STATE", "EPHEMERAL"]
      : labels.filter((label) => label === "STATE" || label === "EPHEMERAL"),
    isWholeDisk: !isContainer && labels.length === 0 && request.mode !== WipeMode.USER_DISKS,
    reboots: request.reboot,
    isGraceful: request.graceful,
  });
}

function checkDisks(node: TalosNode, request: machineApi.ResetRequest, labels: string[]): void {
  const paths = node.hardware.disks.map((disk, index) => `/dev/${diskName(disk.slot, index)}`);
  const unknown = request.userDisksToWipe.find((path) => !paths.includes(path));
  if (unknown !== undefined) throw new ConnectError(`disk "${unknown}" is not found`, Code.InvalidArgument);
  if (request.mode === WipeMode.SYSTEM_DISK && request.userDisksToWipe.length > 0) {
    throw new ConnectError("user disks cannot be wiped in system disk mode", Code.InvalidArgument);
  }
  if (request.mode === WipeMode.USER_DISKS && labels.length > 0) {
    throw new ConnectError("system partitions cannot be wiped in user disks mode", Code.InvalidArgument);
  }
}
