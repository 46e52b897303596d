import { within, type Caller, type TalosCallOptions } from "../wire/caller.ts";
import { installerFailed } from "../errors.ts";
import { LifecycleService } from "../gen/lifecycle_pb.ts";
import { MachineService, UpgradeRequest_RebootMode } from "../gen/machine_pb.ts";
import { byService, containerdOf, pullWithProgress } from "./images.ts";
import { onlyMessage } from "../wire/only-message.ts";
import { reboot, type RebootMode } from "./power.ts";

export interface UpgradeOptions extends TalosCallOptions {
  /**
   * False: only write the new system, so that the caller can drain the node before it reboots it. A node that is
   * upgraded the older way drains itself and reboots all the same; the result tells.
   */
  reboots?: boolean;
  rebootMode?: RebootMode;
  /** Install during the next boot, for disks that are in use. Only the older way can. */
  isStaged?: boolean;
  /** Without the node's own look at etcd, which only the older way takes. */
  isForced?: boolean;
  onProgress?(message: string): void;
}

export interface UpgradeResult {
  /** lifecycle: the services of Talos 1.13 on · legacy: one call that does everything. */
  method: "lifecycle" | "legacy";
  isRebooting: boolean;
  /** What the events of the reboot carry; empty without one. */
  actorId: string;
}

/** The node fetches the installer before it answers. */
const upgradeTimeoutMs = 20 * 60_000;

/**
 * Writes the system of an installer image beside the running one, and boots it. A boot that fails ends in the old
 * system again: compare the version afterwards. The newer way looks neither at etcd nor at pods: that is the caller's.
 */
export function upgrade(caller: Caller, image: string, options: UpgradeOptions = {}): Promise<UpgradeResult> {
  const legacy = () => upgradeLegacy(caller, image, options);
  if (options.isStaged === true) return legacy();
  return byService(caller, options, () => upgradeLifecycle(caller, image, options), legacy);
}

async function upgradeLifecycle(
  caller: Caller,
  image: string,
  options: UpgradeOptions,
): Promise<UpgradeResult> {
  const { signal, onProgress, reboots = true, rebootMode = "default" } = options;
  const inspection = within(options, upgradeTimeoutMs);
  const imageName = await pullWithProgress(caller, image, {
    signal,
    timeoutMs: options.timeoutMs,
  });
  const request = { containerd: containerdOf("system"), source: { imageName } };
  const exit = await caller.call(LifecycleService, "Upgrade", inspection, async (client, o) => {
    let code: number | undefined;
    let last = "";
    for await (const { progress } of client.upgrade(request, o)) {
      if (progress?.response.case === "exitCode") code = progress.response.value;
      if (progress?.response.case !== "message") continue;
      last = progress.response.value;
      onProgress?.(last);
    }
    return { code, last };
  });
  if (exit.code !== 0) throw installerFailed({ address: caller.address, image, ...exit });
  if (!reboots) return { method: "lifecycle", isRebooting: false, actorId: "" };
  const actorId = await reboot(caller, { mode: rebootMode, signal });
  return { method: "lifecycle", isRebooting: true, actorId };
}

function upgradeLegacy(caller: Caller, image: string, options: UpgradeOptions): Promise<UpgradeResult> {
  const { DEFAULT, POWERCYCLE } = UpgradeRequest_RebootMode;
  const request = {
    image,
    // It keeps nothing since 1.8, and from 1.12 on it would switch the node's own look at etcd off.
    preserve: false,
    stage: options.isStaged ?? false,
    force: options.isForced ?? false,
    rebootMode: (options.rebootMode ?? "default") === "default" ? DEFAULT : POWERCYCLE,
  };
  const inspection = within(options, upgradeTimeoutMs);
  return caller.call(MachineService, "Upgrade", inspection, async (client, o) => {
    const actorId = onlyMessage(await client.upgrade(request, o))?.actorId ?? "";
    return { method: "legacy", isRebooting: true, actorId };
  });
}
