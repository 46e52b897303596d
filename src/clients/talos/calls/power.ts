import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { MachineService, RebootRequest_Mode, ResetRequest_WipeMode } from "../gen/machine_pb.ts";
import { onlyMessage } from "../wire/only-message.ts";

export type RebootMode = "default" | "powercycle" | "force";

export interface ResetOptions extends TalosCallOptions {
  /** Drain the node and leave etcd first. A single control plane cannot leave: it needs false. */
  isGraceful: boolean;
  /** Else the machine is powered off. */
  reboots: boolean;
  /** Labels such as `STATE` and `EPHEMERAL`; none means the whole system disk. */
  partitions?: string[] | undefined;
  /** Device paths to wipe as well. */
  userDisks?: string[] | undefined;
  /** Which disks may be touched at all; both unless said. */
  wipes?: "all" | "system-disk" | "user-disks";
}

const rebootModes = {
  default: RebootRequest_Mode.DEFAULT,
  powercycle: RebootRequest_Mode.POWERCYCLE,
  force: RebootRequest_Mode.FORCE,
} satisfies Record<RebootMode, RebootRequest_Mode>;

const wipeModes = {
  all: ResetRequest_WipeMode.ALL,
  "system-disk": ResetRequest_WipeMode.SYSTEM_DISK,
  "user-disks": ResetRequest_WipeMode.USER_DISKS,
} as const;

/** Returns the id that the events of this reboot carry. */
export function reboot(
  caller: Caller,
  options: TalosCallOptions & { mode?: RebootMode } = {},
): Promise<string> {
  const mode = rebootModes[options.mode ?? "default"];
  return caller.call(
    MachineService,
    "Reboot",
    options,
    async (client, o) => onlyMessage(await client.reboot({ mode }, o))?.actorId ?? "",
  );
}

export function shutdown(
  caller: Caller,
  options: TalosCallOptions & { isForced?: boolean } = {},
): Promise<string> {
  const request = { force: options.isForced ?? false };
  return caller.call(
    MachineService,
    "Shutdown",
    options,
    async (client, o) => onlyMessage(await client.shutdown(request, o))?.actorId ?? "",
  );
}

/** A node that cannot leave etcd says so in its events, not in the answer. */
export function reset(caller: Caller, options: ResetOptions): Promise<string> {
  const request = {
    graceful: options.isGraceful,
    reboot: options.reboots,
    systemPartitionsToWipe: (options.partitions ?? []).map((label) => ({ label, wipe: true })),
    userDisksToWipe: options.userDisks ?? [],
    mode: wipeModes[options.wipes ?? "all"],
  };
  return caller.call(
    MachineService,
    "Reset",
    options,
    async (client, o) => onlyMessage(await client.reset(request, o))?.actorId ?? "",
  );
}

/** Boots the system that ran before the last upgrade. */
export async function rollback(caller: Caller, options: TalosCallOptions = {}): Promise<void> {
  await caller.call(MachineService, "Rollback", options, async (client, o) =>
    onlyMessage(await client.rollback({}, o)),
  );
}
