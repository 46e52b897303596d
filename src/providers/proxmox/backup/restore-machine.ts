import type { MachineRef, NewMachine, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import {
  findKeptDisksMachines,
  keptDisksLock,
  keptDisksPlace,
  type KeptDisksParts,
} from "../disks/kept-disks.ts";
import { readDisk } from "../disks/machine-disks.ts";
import type { MachineHave, MachineSource, MachineWant } from "../machine/machine-want.ts";
import { newMachine } from "../machine/machine-config.ts";
import { markText, readMark, withMark, type Mark } from "../mark.ts";
import { createMachine, finishTask } from "../tasks.ts";

type ArchiveSource = Extract<MachineSource, { kind: "archive" }>;

const restoreWait = { deadlineMs: 12 * 60 * 60_000, usualMs: 60_000 };
const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/**
 * Brings a machine into being from its backup. Its mark says so until its data disks are settled: what hangs on it till
 * then are copies from the backup, and nobody's data. False: it was there already, for the caller to judge.
 */
export async function restoreMachine(
  ctx: StepContext,
  { client, node, slipway }: { client: ProxmoxClient; node: string; slipway: string },
  want: MachineWant,
  { volume }: ArchiveSource,
): Promise<boolean> {
  const config = await client.archivedConfig(node, volume, ctx.signal);
  const { name, tags, pool, description } = newMachine(want, slipway);
  // The image is the one that its disk was made from then.
  const image = readMark(config["description"] ?? "")?.image ?? want.image.file;
  const mark = readMark(description ?? "");
  const machine: NewMachine = {
    vmid: want.vmid,
    archive: volume,
    name,
    tags,
    pool,
    ...(mark && { description: markText({ ...mark, image, isRestored: true }) }),
    // The same cards with the same addresses: it is the same node, and the other machine is gone.
    unique: false,
    storage: (await areThere(ctx, client, node, config)) ? undefined : want.storage,
  };
  return createMachine(ctx, client, node, machine, "machine", restoreWait);
}

/** Disks go back to where they were, unless the host has no such storage any more. */
async function areThere(
  ctx: StepContext,
  client: ProxmoxClient,
  node: string,
  config: Record<string, string>,
): Promise<boolean> {
  const there = (await client.storages(node, ctx.signal))
    .filter(({ isActive, content }) => isActive && content.includes("images"))
    .map((storage) => storage.name);
  return Object.keys(config)
    .filter((key) => /^(?:scsi|virtio|sata|ide|efidisk|tpmstate)\d+$/.test(key))
    .filter((key) => !config[key]?.includes("media=cdrom"))
    .every((slot) => there.includes(readDisk(config, slot)?.storage ?? ""));
}

/**
 * Of data disks that were kept, the copies in the backup go: what was kept is newer. What was lost with its machine comes
 * from the backup. From then on the disks of the machine are those of its node, and its mark no longer says otherwise;
 * those that were kept come back to it after that.
 */
export async function settleRestored(
  ctx: StepContext,
  parts: KeptDisksParts,
  client: ProxmoxClient,
  want: MachineWant,
  have: MachineHave,
): Promise<void> {
  const machine = { node: have.on, vmid: have.vmid };
  const place = await keptDisksPlace(parts, { cluster: want.cluster, host: want.host, on: have.on });
  const kept = await ctx.holding(keptDisksLock(place), 1, () => findKeptDisksMachines(ctx, place));
  const waiting = new Set(
    kept.flatMap(({ disks }) => disks.filter(({ node }) => node === want.node).map(({ index }) => index)),
  );
  const copies = have.dataDisks
    .map(({ slot }) => slot)
    .filter((slot) => waiting.has(Number(slot.slice("scsi".length)) - 1));
  if (copies.length > 0) await change(ctx, client, machine, { delete: copies.join(","), force: true });
  const { isRestored: _isRestored, ...mark }: Mark = have.mark;
  await change(ctx, client, machine, { description: withMark(have.config["description"] ?? "", mark) });
}

async function change(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  settings: Parameters<ProxmoxClient["changeMachine"]>[1],
): Promise<void> {
  const task = await client.changeMachine(machine, settings, ctx.signal);
  await finishTask(ctx, task, { what: `${machine.node} to set machine ${machine.vmid} up`, ...changeWait });
}
