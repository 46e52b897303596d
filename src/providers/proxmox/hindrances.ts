import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { Hindrance, OwnedMachine, ReadContext } from "../../plan/index.ts";
import { detachedDisks } from "./detached-disks.ts";
import type { HostBook } from "./host-book.ts";
import { strangeDisks } from "./kept-disks.ts";
import { volumeIn } from "./machine-drives.ts";
import { isOurSnapshot } from "./snapshot-names.ts";

// Storages that cannot rename a volume cannot give it to another machine.
const withoutRename = new Set(["iscsi", "iscsidirect", "zfs"]);

/** What would keep disks from being set aside, asked before anything happens. */
export async function hindrances(
  ctx: ReadContext,
  book: HostBook,
  machines: OwnedMachine[],
): Promise<Hindrance[]> {
  const kinds = new Map<string, Promise<Map<string, string>>>();
  const found = await Promise.all(
    machines.map(async (machine) => {
      const client = await book.client(machine.host);
      const key = `${machine.host}/${machine.on}`;
      const known = kinds.get(key) ?? storageKinds(ctx, client, machine.on);
      kinds.set(key, known);
      const reason =
        (await strangeDiskOn(ctx, client, machine)) ??
        rigidStorage(machine, await known) ??
        (await snapshotOn(ctx, client, machine));
      return reason ? [{ machine, ...reason }] : [];
    }),
  );
  return found.flat();
}

type Reason = Pick<Hindrance, "why" | "next">;

const storageKinds = async (
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
): Promise<Map<string, string>> =>
  new Map((await client.storages(node, ctx.signal)).map(({ name, type }) => [name, type]));

/** A disk that nobody wrote into the file may hold what nobody wants to lose. */
async function strangeDiskOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  { node, on, vmid }: OwnedMachine,
): Promise<Reason | undefined> {
  const config = await client.machineConfig({ node: on, vmid }, ctx.signal);
  const ours = detachedDisks(config, vmid);
  const isOurs = (key: string): boolean => ours.length === 1 && ours.some((disk) => disk.key === key);
  const [slot] = strangeDisks(config).filter((key) => !isOurs(key));
  if (slot === undefined) return undefined;
  return {
    why: `machine ${vmid} of ${node} has a disk that is not from the cluster file: ${slot}, ${volumeIn(config[slot] ?? "")}; it would go with the machine`,
    next: `Give it to another machine or remove it in the Proxmox web page, then run the command again`,
  };
}

function rigidStorage({ node, keptDisks }: OwnedMachine, kinds: Map<string, string>): Reason | undefined {
  for (const { index, volume } of keptDisks) {
    const storage = volume.split(":")[0] ?? "";
    const kind = kinds.get(storage) ?? "";
    if (!withoutRename.has(kind)) continue;
    return {
      why: `data disk ${index + 1} of ${node} lies on storage "${storage}", and a storage of type ${kind} cannot give a disk to another machine, so it cannot outlive this one`,
      next: `Write keep: false for the disk in the cluster file and run "slipway up", or move it to another storage`,
    };
  }
  return undefined;
}

/** Proxmox moves no disk that a snapshot needs. Ours go with the machine; others are not ours to remove. */
async function snapshotOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  { node, on, vmid, keptDisks }: OwnedMachine,
): Promise<Reason | undefined> {
  if (keptDisks.length === 0) return undefined;
  const machine = { node: on, vmid };
  for (const name of await client.snapshots(machine, ctx.signal)) {
    if (isOurSnapshot(name)) continue;
    const held = Object.values(await client.snapshotConfig(machine, name, ctx.signal)).map(volumeIn);
    const disk = keptDisks.find(({ volume }) => held.includes(volume));
    if (disk)
      return {
        why: `snapshot "${name}" of machine ${vmid} holds data disk ${disk.index + 1} of ${node}, so the disk cannot outlive the machine`,
        next: `Remove the snapshot: on ${on} run "qm delsnapshot ${vmid} ${name}", then run the command again`,
      };
  }
  return undefined;
}
