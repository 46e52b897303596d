import type { MachineConfig, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { Hindrance, OwnedMachine, ReadContext } from "../../plan/index.ts";
import { keepsFiles } from "./disk-format.ts";
import type { HostBook } from "./host-book.ts";
import { readDisk, type FoundDisk } from "./machine-drives.ts";

/** Machines whose disks lie where no snapshots can be taken. */
export async function snapshotHindrances(
  ctx: ReadContext,
  book: HostBook,
  machines: OwnedMachine[],
): Promise<Hindrance[]> {
  const found = machines.map(async (machine): Promise<Hindrance[]> => {
    const client = await book.client(machine.host);
    const ref = { node: machine.on, vmid: machine.vmid };
    if (await client.canSnapshot(ref, ctx.signal)) return [];
    const [first, ...more] = await obstaclesOf(ctx, client, machine);
    if (!first) {
      const why = `Proxmox says that no snapshot can be taken of machine ${machine.vmid}`;
      return [{ machine, why, next: `Look at the disks of machine ${machine.vmid} in Proxmox` }];
    }
    const why = `of machine ${machine.vmid} ${[first, ...more].map((each) => each.why).join(", and ")}`;
    return [{ machine, why, next: first.next }];
  });
  return (await Promise.all(found)).flat();
}

interface Obstacle {
  why: string;
  next: string;
}

async function obstaclesOf(
  ctx: ReadContext,
  client: ProxmoxClient,
  { on, vmid }: OwnedMachine,
): Promise<Obstacle[]> {
  const [config, storages] = await Promise.all([
    client.machineConfig({ node: on, vmid }, ctx.signal),
    client.storages(on, ctx.signal),
  ]);
  const kinds = new Map(storages.map(({ name, type }) => [name, type]));
  return drivesIn(config).flatMap((drive) => obstacleOf(drive, kinds.get(drive.storage), { on, vmid }));
}

const drivesIn = (config: MachineConfig): FoundDisk[] =>
  Object.keys(config)
    .filter((key) => /^(?:scsi|virtio|sata|ide|efidisk|tpmstate)\d+$/.test(key))
    .filter((key) => !config[key]?.includes("media=cdrom"))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .flatMap((slot) => readDisk(config, slot) ?? []);

function obstacleOf(
  { slot, volume, storage }: FoundDisk,
  kind: string | undefined,
  { on, vmid }: { on: string; vmid: number },
): Obstacle[] {
  const move = `Move ${slot} in Proxmox to a storage of type LVM-thin, ZFS or Ceph, or do without snapshots`;
  if (keepsFiles(kind)) {
    if (volume.endsWith(".qcow2")) return [];
    const why = `${slot} is a raw file on "${storage}", and only qcow2 files keep snapshots`;
    // What a TPM remembers is raw wherever files are kept.
    if (slot === "tpmstate0") return [{ why, next: move }];
    return [{ why, next: `On ${on} run "qm disk move ${vmid} ${slot} ${storage} --format qcow2 --delete"` }];
  }
  if (kind !== undefined && keepsSnapshots.has(kind)) return [];
  const type = kind === undefined ? "" : ` (${kind})`;
  return [{ why: `${slot} is on "${storage}"${type}, which keeps no snapshots`, next: move }];
}

const keepsSnapshots = new Set(["lvmthin", "zfspool", "zfs", "rbd", "btrfs"]);
