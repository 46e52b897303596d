import type {
  MachineConfig,
  NewMachine,
  MachineState,
  ProxmoxClient,
} from "../../../clients/proxmox/index.ts";
import { furtherNics, netDevice, readNic, readFurtherNics } from "./nics.ts";
import { volumeOf } from "../image/image-volume.ts";
import { machineFirmware } from "./machine-firmware.ts";
import { markedDisks, markText, readMark, type Mark } from "../mark.ts";
import { machineSettings } from "./machine-settings.ts";
import type { MachineHave, MachineWant, MachineKey } from "./machine-want.ts";
import { newDisk, readDisk, readDataDisks, systemSlot } from "../disks/machine-disks.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";

/** Everything in one call, so that a machine never exists without its mark. */
export function newMachine(want: MachineWant, slipway: string): NewMachine {
  const { cluster, node, role, image } = want;
  const mark: Mark = {
    cluster,
    node,
    role,
    image: image.file,
    slipway,
    ...markedDisks(want.dataDisks),
    protect: want.isProtected,
    insteadOf: want.insteadOf,
  };
  const data = want.dataDisks.map((disk, index) => [`scsi${index + 1}`, newDisk(disk, want)]);
  return {
    vmid: want.vmid,
    description: markText(mark),
    pool: want.pool,
    ...machineSettings(want),
    ...machineFirmware(want),
    scsi0: newDisk({ storage: want.storage, from: volumeOf(image) }, want),
    ...(Object.fromEntries(data) as Record<`scsi${number}`, string>),
    boot: "order=scsi0",
    net0: netDevice(want),
    ...furtherNics(want.nics ?? []),
  };
}

// The seed is read when a machine starts and at no other time, so what will be in it then is what counts.
const isOfSeed = (key: string): boolean => /^(?:ipconfig\d+|nameserver|searchdomain)$/.test(key);

/** Reads a configuration back; undefined when it does not carry our mark. */
export function readMachine(
  config: MachineConfig,
  place: { host: string; on: string; vmid: number; isRunning: boolean },
  next: MachineConfig = config,
): MachineHave | undefined {
  const mark = readMark(config["description"] ?? "");
  if (!mark) return undefined;
  const now = Object.fromEntries([
    ...Object.entries(config).filter(([key]) => !isOfSeed(key)),
    ...Object.entries(next).filter(([key]) => isOfSeed(key)),
  ]);
  const later = waitingKeys(now, next).length === 0 ? undefined : readMachine(next, place);
  const system = readDisk(now, systemSlot(now));
  return {
    ...place,
    cluster: mark.cluster,
    node: mark.node,
    role: mark.role,
    image: mark.image,
    mark,
    isProtected: now["protection"] === "1",
    cores: number(now["cores"], 1) * number(now["sockets"], 1),
    // `8192`, or `current=8192` when it was changed by hand.
    memoryMiB: number(now["memory"]?.replace("current=", ""), 512),
    diskGiB: system?.sizeGiB ?? 0,
    system,
    dataDisks: readDataDisks(now),
    nic: readNic(now, 0),
    nics: readFurtherNics(now),
    tags: words(now["tags"] ?? "").toSorted(),
    config: now,
    next: later,
  };
}

/** The keys that will be otherwise after the next start. */
export const waitingKeys = (now: MachineConfig, next: MachineConfig): string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(next)])].filter((key) => now[key] !== next[key]);

const words = (text: string): string[] => text.split(/[;, ]+/).filter((word) => word !== "");

const number = (text: string | undefined, otherwise: number): number =>
  text === undefined || text === "" ? otherwise : Number(text);

/** What stands under a VMID. */
export type Found =
  | { state: "absent" }
  /** Locked by its creation; Proxmox writes the mark only at the end of it. */
  | { state: "making"; on: string }
  | { state: "foreign"; on: string; owner: string }
  | { state: "ours"; have: MachineHave };

/** A step that has just made or started a machine need not ask whether it runs. */
export interface KnownPower {
  isRunning: boolean;
}

/** Asks for one machine: on the node it should be on, then wherever in that Proxmox cluster it is. */
export async function findMachine(
  ctx: ReadContext,
  registry: HostRegistry,
  key: MachineKey,
  known?: KnownPower,
): Promise<Found> {
  const client = await registry.client(key.host);
  const home = registry.host(key.host).proxmox.node;
  const atHome = await lookAt(ctx, client, home, key, known);
  if (atHome) return atHome;
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === key.vmid);
  if (guest?.kind === "lxc") return { state: "foreign", on: guest.node, owner: `container "${guest.name}"` };
  if (!guest || guest.node === home) return { state: "absent" };
  return (await lookAt(ctx, client, guest.node, key, known)) ?? { state: "absent" };
}

async function lookAt(
  ctx: ReadContext,
  client: ProxmoxClient,
  on: string,
  key: MachineKey,
  known: KnownPower | undefined,
): Promise<Found | undefined> {
  const machine = { node: on, vmid: key.vmid };
  try {
    const [state, isRunning] = await Promise.all([
      client.machineState(machine, ctx.signal),
      known ? known.isRunning : client.isMachineRunning(machine, ctx.signal),
    ]);
    return isBeingMade(state.now) ? { state: "making", on } : whose(key, state, { on, isRunning });
  } catch (thrown) {
    if (isUnseen(thrown)) return undefined;
    throw thrown;
  }
}

/** Whoever has rights in a pool only is refused a number that nobody has in the same words as somebody else's. */
export const isUnseen = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && ["PVE_NOT_FOUND", "PVE_FORBIDDEN"].includes(thrown.code);

/** While a machine is copied, Proxmox keeps its number with a text of its own; the mark comes at the end. */
const isBeingMade = ({ lock, description = "" }: MachineConfig): boolean =>
  lock === "create" || (lock === "clone" && readMark(description) === undefined);

/** Decides by the mark in the description; tags can be typed by any user. */
export function whose(
  key: MachineKey,
  { now, next }: MachineState,
  place: { on: string; isRunning: boolean },
): Found {
  const have = readMachine(now, { host: key.host, vmid: key.vmid, ...place }, next);
  if (!have)
    return { state: "foreign", on: place.on, owner: `"${now["name"] ?? "a machine"}" without our mark` };
  if (have.cluster === key.cluster && have.node === key.node) return { state: "ours", have };
  return { state: "foreign", on: place.on, owner: `node "${have.node}" of cluster "${have.cluster}"` };
}
