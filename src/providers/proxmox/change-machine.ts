import type { MachineChange, MachineRef, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";
import { changedCards, networkCard } from "./cards.ts";
import { needsStop } from "./compare-machine.ts";
import { shrinksDisk } from "./errors.ts";
import { finishTask } from "./finish-task.ts";
import { addressConfig, newDisk, type MachineHave, type MachineWant } from "./machine-config.ts";
import { powerOff } from "./power.ts";

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/** Makes an existing machine as wanted, in place. Returns whether it still runs. */
export async function changeMachine(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  want: MachineWant,
  have: MachineHave,
): Promise<boolean> {
  if (want.diskGiB < have.diskGiB) {
    throw shrinksDisk({ node: want.node, fromGiB: have.diskGiB, toGiB: want.diskGiB });
  }
  const isStopped = have.isRunning && needsStop(want, have);
  if (isStopped) await powerOff(ctx, client, machine);
  const apply = async (change: MachineChange) => {
    if (Object.keys(change).length === 0) return;
    const task = await client.changeMachine(machine, change, ctx.signal);
    await finishTask(ctx, task, { what: `${machine.node} to change machine ${machine.vmid}`, ...changeWait });
  };
  const cards = changedCards(want.nics ?? [], have.nics);
  await apply(removedDisks(want, have));
  await apply(cards.removed);
  await apply({ ...changedSettings(want, have), ...cards.set, ...addedDisks(want, have) });
  for (const [slot, sizeGiB] of grownDisks(want, have)) {
    const task = await client.resizeDisk(machine, slot, sizeGiB, ctx.signal);
    await finishTask(ctx, task, {
      what: `${machine.node} to grow ${slot} of machine ${machine.vmid}`,
      ...changeWait,
    });
  }
  return have.isRunning && !isStopped;
}

function changedSettings(want: MachineWant, have: MachineHave): MachineChange {
  const isMoved =
    want.bridge !== have.bridge ||
    want.vlan !== have.vlan ||
    want.mtu !== have.mtu ||
    want.mac.toLowerCase() !== have.mac;
  return {
    ...(want.cores !== have.cores && { cores: want.cores, sockets: 1 }),
    ...(want.memoryMiB !== have.memoryMiB && { memory: String(want.memoryMiB) }),
    ...(isMoved && { net0: networkCard(want) }),
    ...(addressConfig(want) !== have.address && { ipconfig0: addressConfig(want) }),
    ...(want.dns.join() !== have.dns.join() && nameServers(want.dns)),
    ...(want.tags.join() !== have.tags.join() && { tags: want.tags.join(";") }),
  };
}

const nameServers = (dns: string[]): MachineChange =>
  dns.length === 0 ? { delete: "nameserver" } : { nameserver: dns.join(" ") };

/** Disks that go, or that must be made anew because they shrink. Only asked for when their loss was agreed to. */
function removedDisks(want: MachineWant, have: MachineHave): MachineChange {
  const slots = have.dataDisks.filter((disk, index) => (want.dataDisks[index]?.sizeGiB ?? 0) < disk.sizeGiB);
  // "force" also deletes what was on them; otherwise they would stay behind as unused disks.
  return slots.length === 0 ? {} : { delete: slots.map((disk) => disk.slot).join(","), force: true };
}

function addedDisks(want: MachineWant, have: MachineHave): MachineChange {
  const added = want.dataDisks.flatMap((disk, index) => {
    const found = have.dataDisks[index];
    const isMade = found === undefined || disk.sizeGiB < found.sizeGiB;
    return isMade ? [[found?.slot ?? freeSlot(have, index), newDisk(disk)]] : [];
  });
  return Object.fromEntries(added) as MachineChange;
}

/** Slots follow the order of the file, unless somebody has filled them by hand. */
function freeSlot(have: MachineHave, index: number): string {
  const last = have.dataDisks.at(-1);
  const start =
    last === undefined ? 0 : Number(last.slot.slice("scsi".length)) - (have.dataDisks.length - 1) - 1;
  return `scsi${start + index + 1}`;
}

function grownDisks(want: MachineWant, have: MachineHave): [slot: string, sizeGiB: number][] {
  const data = have.dataDisks.flatMap((disk, index): [string, number][] => {
    const wanted = want.dataDisks[index]?.sizeGiB;
    return wanted !== undefined && wanted > disk.sizeGiB ? [[disk.slot, wanted]] : [];
  });
  return want.diskGiB > have.diskGiB ? [["scsi0", want.diskGiB], ...data] : data;
}
