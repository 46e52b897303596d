import type {
  Graph,
  GraphNode,
  MachineBackups,
  OwnedMachine,
  ReadContext,
  RemovalBlocker,
} from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { machineKeyOf } from "../machine/machine-want.ts";
import { findArchive, listArchives } from "./find-archive.ts";
import type { BackupWant } from "./machine-backup.ts";

const usualMs = 60_000;

/** Backups of whole machines. */
export const backupsIn = (registry: HostRegistry): MachineBackups => ({
  describe: describeBackups,
  blockers: (ctx, machines, storage) => backupBlockers(ctx, registry, machines, storage),
  list: (ctx, nodes) => listArchives(ctx, registry, nodes),
  find: (ctx, wanted, archive) => findArchive(ctx, registry, wanted, archive),
});

/** A backup of each of these machines, in the order of the machines. */
const describeBackups = (machines: OwnedMachine[], to: { storage: string; name: string }): Graph =>
  machines.map(
    // It is not part of making the node, and must not stand for it in a plan.
    (machine): GraphNode<BackupWant> => ({
      id: `${machine.cluster}/backup/${machine.node}`,
      kind: "proxmox/backup",
      name: `backup of ${machine.node} on storage ${to.storage}`,
      want: { ...machineKeyOf(machine), on: machine.on, ...to },
      after: [],
      group: "nodes",
      stage: "machines",
      cluster: machine.cluster,
      host: machine.host,
      usualMs,
    }),
  );

/** Machines on nodes that cannot write a backup there. */
async function backupBlockers(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
  storage: string,
): Promise<RemovalBlocker[]> {
  const found = machines.map(async (machine): Promise<RemovalBlocker[]> => {
    const all = await (await registry.client(machine.host)).storages(machine.on, ctx.signal);
    const target = all.find(({ name }) => name === storage);
    const able = all.filter(({ content, isActive }) => isActive && content.includes("backup"));
    const others = able.map(({ name }) => name).join(", ");
    const next =
      others === "" ? `Add a storage with the content "backup" in Proxmox` : `Name one of: ${others}`;
    if (!target) return [{ machine, why: `${machine.on} has no storage "${storage}"`, next }];
    if (!target.content.includes("backup")) {
      const why = `storage "${storage}" on ${machine.on} does not take backups: its content is ${target.content.join(", ")}`;
      return [{ machine, why, next }];
    }
    if (target.isActive) return [];
    const why = `storage "${storage}" is not active on ${machine.on}`;
    return [{ machine, why, next: "Look at it in the Proxmox web page, then run the command again" }];
  });
  return (await Promise.all(found)).flat();
}
