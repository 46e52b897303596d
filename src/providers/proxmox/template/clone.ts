import { SlipwayError, type Position } from "../../../errors/index.ts";
import type {
  MachineChange,
  MachineRef,
  NewClone,
  NewMachine,
  ProxmoxClient,
  StorageInfo,
} from "../../../clients/proxmox/index.ts";
import type { ReadContext, Seen, StepContext } from "../../../plan/index.ts";
import { formatOn, keepsFiles } from "../disks/disk-format.ts";
import { systemSlot } from "../disks/machine-disks.ts";
import { finishTask, type TaskWait } from "../tasks.ts";
import type { MachineWant, MachineSource } from "../machine/machine-want.ts";
import { boardKind, boardOf, isSeed, isSeenByAll } from "../machine/machine-firmware.ts";
import { markText } from "../mark.ts";
import { cannotLink, templateFirmware, templateTooLarge } from "./errors.ts";
import { configOn, demandTemplate, type FoundTemplate } from "./find-template.ts";

type CloneSource = Extract<MachineSource, { kind: "clone" }>;

// Any number may read a template at once, but each clone takes its disk out of one storage, one after the other.
const clonesAtOnce = 16;
const cloneWait = { deadlineMs: 20 * 60_000, usualMs: 3_000 };

export interface CloneParts {
  client: ProxmoxClient;
  /** The Proxmox node the machine goes to. */
  node: string;
  /** Version of Slipway, for the mark. */
  slipway: string;
}

/**
 * Brings a machine with the mark into being as a copy of a template. It is not as wanted yet, and its mark says so: a
 * run that ends here is taken up by the next. One that exists by then is looked at afterwards.
 */
export async function cloneTemplate(
  ctx: StepContext,
  { client, node, slipway }: CloneParts,
  want: MachineWant,
  from: CloneSource,
): Promise<void> {
  const about = { doing: `create machine ${want.node}`, template: from.template };
  const template = await demandTemplate(ctx, client, { ...about, node });
  demandFit(about, template, want, from.isTheirs === true);
  const isFull = isFullClone(node, template, want, from);
  const { cluster, role, image } = want;
  const clone: NewClone = {
    newid: want.vmid,
    name: want.name ?? want.node,
    description: markText({ cluster, node: want.node, role, image: image.file, slipway, isBare: true }),
    pool: want.pool,
    full: isFull,
    ...(isFull && { storage: want.storage, ...wantedFormat(want) }),
    target: template.on === node ? undefined : node,
  };
  await ctx.holding(`${template.on}/template-${template.vmid}`, clonesAtOnce, async () => {
    try {
      const task = await client.cloneMachine({ node: template.on, vmid: template.vmid }, clone, ctx.signal);
      const what = `${template.on} to clone machine ${want.vmid} from template ${template.vmid}`;
      await finishTask(ctx, task, { what, ...cloneWait });
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_ALREADY_EXISTS") throw thrown;
    }
  });
}

/** A copy would otherwise keep the format it has, also raw where that keeps no snapshots. */
function wantedFormat(want: MachineWant): Pick<NewClone, "format"> {
  const format = formatOn(want, want.storage);
  return format === undefined ? {} : { format };
}

/** What is on the disk of a template that is not ours is not known here, and a disk never shrinks. */
export function demandFit(
  about: { doing: string; template: number; at?: Position },
  template: FoundTemplate,
  want: MachineWant,
  isTheirs: boolean,
): void {
  if (template.sizeGiB > want.diskGiB)
    throw templateTooLarge({ ...about, node: want.node, fromGiB: template.sizeGiB, toGiB: want.diskGiB });
  const wanted = boardOf(want).bios === "ovmf" ? "uefi" : "bios";
  if (isTheirs && template.firmware !== wanted)
    throw templateFirmware({ ...about, node: want.node, found: template.firmware, wanted });
}

function isFullClone(
  on: string,
  template: FoundTemplate,
  want: MachineWant,
  { clone }: CloneSource,
): boolean {
  if (clone === "full") return true;
  const reason = obstacle(template.storage, template.volume, want.storage);
  if (clone === "linked" && reason !== undefined)
    throw cannotLink({
      on,
      why: `template ${template.vmid} is on storage "${template.storage.name}", and ${reason}`,
    });
  return reason !== undefined;
}

const blockKinds = new Set(["lvmthin", "zfspool", "zfs", "rbd", "btrfs"]);
export const canLinkOn = (kind: string): boolean => blockKinds.has(kind) || keepsFiles(kind);

/** Why the disk of a template cannot be shared by its clones; nothing when it can. */
function obstacle(storage: StorageInfo, volume: string, wanted: string): string | undefined {
  if (storage.name !== wanted) return `a linked clone stays there, while the disk is to be on "${wanted}"`;
  if (!canLinkOn(storage.type)) return `a storage of type ${storage.type} cannot share blocks between disks`;
  if (keepsFiles(storage.type) && !volume.endsWith(".qcow2"))
    return `its disk is not in qcow2 format, which alone can be shared on a storage of type ${storage.type}`;
  return undefined;
}

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 1_000 };

/**
 * Makes a clone what a new machine would be, but for its disks, in one call: with it goes the word in the mark that says
 * it is a clone and nothing more. What a template that is not ours brings beyond that stays.
 */
export async function finishClone(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  wanted: NewMachine,
): Promise<void> {
  const config = await client.machineConfig(machine, ctx.signal);
  const seed = Object.keys(config).find((key) => isSeed(config[key] ?? ""));
  const isUnseen = seed !== undefined && !isSeenByAll(seed, boardKind(wanted.machine ?? ""));
  // Proxmox takes a second one only after the first is gone.
  if (isUnseen) await change(ctx, client, machine, { delete: seed, force: true });
  const settings = Object.entries(wanted).filter(([key, value]) => {
    if (createOnly.has(key) || isDisk(key, String(value))) return false;
    // Its system disk may be in another slot than ours would be.
    if (key === "boot") return config[systemSlot(config)] === undefined;
    if (isSeed(String(value))) return seed === undefined || isUnseen;
    // Firmware that a template has brought keeps what it remembers.
    return !(keptDisks.has(key) && config[key] !== undefined);
  });
  await change(ctx, client, machine, Object.fromEntries(settings));
}

async function change(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  settings: MachineChange,
): Promise<void> {
  const task = await client.changeMachine(machine, settings, ctx.signal);
  await finishTask(ctx, task, { what: `${machine.node} to set machine ${machine.vmid} up`, ...changeWait });
}

const createOnly = new Set(["vmid", "pool", "start", "storage", "unique"]);
const keptDisks = new Set(["efidisk0", "tpmstate0"]);

/** The system disk came with the clone; data disks are added as to any machine that lacks some. */
const isDisk = (key: string, value: string): boolean => /^scsi\d+$/.test(key) && !isSeed(value);

/**
 * Whether the machine may still be copied by somebody. The task goes by the number of the template, on the template's
 * node, so any of that kind may be the one.
 */
export async function isCloning(
  ctx: ReadContext,
  client: ProxmoxClient,
  { node, vmid }: MachineRef,
): Promise<boolean> {
  const config = await configOn(ctx, client, node, vmid);
  if (config?.["lock"] !== "clone") return false;
  const online = (await client.nodes(ctx.signal)).filter((each) => each.isOnline);
  const tasks = await Promise.all(online.map((each) => client.runningTasks(each.node, ctx.signal)));
  return tasks.flat().some((task) => task.type === "qmclone");
}

/** Waits out a copy that an earlier run has started. */
export const waitForClone = (
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  wait: TaskWait,
): Promise<void> =>
  ctx.waitFor({ ...wait, probe: "task", everyMs: 1_000 }, async (): Promise<Seen<void>> => {
    if (await isCloning(ctx, client, machine)) return { done: false, seen: "Proxmox task running" };
    return { done: true, value: undefined };
  });
