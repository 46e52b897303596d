import type { MachineConfig, MachineRef, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { RemovalBlocker, OwnedMachine, ReadContext } from "../../../plan/index.ts";
import { keepsFiles } from "../disks/disk-format.ts";
import type { HostRegistry } from "../host-registry.ts";
import { machineRef, type FoundDisk } from "../machine/machine-want.ts";
import { readDisk } from "../disks/machine-disks.ts";

/** Machines whose disks lie where no snapshots can be taken. */
export async function snapshotBlockers(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<RemovalBlocker[]> {
  const found = machines.map(async (machine): Promise<RemovalBlocker[]> => {
    const client = await registry.client(machine.host);
    const ref = machineRef(machine);
    if (await client.canSnapshot(ref, ctx.signal)) return [];
    const [first, ...more] = await obstaclesOf(ctx, client, ref);
    if (!first) {
      const why = `Proxmox says that no snapshot can be taken of machine ${ref.vmid}`;
      return [{ machine, why, next: `Check the disks of machine ${ref.vmid} in Proxmox` }];
    }
    const why = `of machine ${ref.vmid} ${[first, ...more].map((each) => each.why).join(", and ")}`;
    return [{ machine, why, next: first.next }];
  });
  return (await Promise.all(found)).flat();
}

interface Obstacle {
  why: string;
  next: string;
}

async function obstaclesOf(ctx: ReadContext, client: ProxmoxClient, ref: MachineRef): Promise<Obstacle[]> {
  const [config, storages] = await Promise.all([
    client.machineConfig(ref, ctx.signal),
    client.storages(ref.node, ctx.signal),
  ]);
  const kinds = new Map(storages.map(({ name, type }) => [name, type]));
  return drivesIn(config).flatMap((drive) => obstacleOf(drive, kinds.get(drive.storage), ref));
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
  { node, vmid }: MachineRef,
): Obstacle[] {
  const move = `Move ${slot} in Proxmox to a storage of type LVM-thin, ZFS or Ceph, or do without snapshots`;
  if (keepsFiles(kind)) {
    if (volume.endsWith(".qcow2")) return [];
    const why = `${slot} is a raw file on "${storage}", and only qcow2 files keep snapshots`;
    // What a TPM remembers is raw wherever files are kept.
    if (slot === "tpmstate0") return [{ why, next: move }];
    return [
      { why, next: `On ${node} run "qm disk move ${vmid} ${slot} ${storage} --format qcow2 --delete"` },
    ];
  }
  if (kind !== undefined && keepsSnapshots.has(kind)) return [];
  const type = kind === undefined ? "" : ` (${kind})`;
  return [{ why: `${slot} is on "${storage}"${type}, which keeps no snapshots`, next: move }];
}

const keepsSnapshots = new Set(["lvmthin", "zfspool", "zfs", "rbd", "btrfs"]);
