import { SlipwayError } from "../../../errors/index.ts";
import type { ProxmoxClient, SnapshotInfo } from "../../../clients/proxmox/index.ts";
import {
  defineResource,
  same,
  type MachineSnapshot,
  type OwnedMachine,
  type ReadContext,
  type StepContext,
} from "../../../plan/index.ts";
import { finishTask } from "../tasks.ts";
import type { HostRegistry } from "../host-registry.ts";
import { machineRef } from "../machine/machine-want.ts";
import { isOurSnapshot } from "./snapshot-names.ts";

/** A machine, by where it is; snapshots and their disks move along when it does. */
export interface SnapshotWant {
  cluster: string;
  node: string;
  host: string;
  on: string;
  vmid: number;
  name: string;
  /** How many of ours are kept, this one included. Left out: all. */
  keep?: number;
}

const takeWait = { deadlineMs: 10 * 60_000, usualMs: 2_000 };
const removeWait = { deadlineMs: 20 * 60_000, usualMs: 3_000 };

/** A snapshot of a machine's disks. */
export const proxmoxSnapshot = (registry: HostRegistry) =>
  defineResource<SnapshotWant, SnapshotWant>({
    kind: "proxmox/snapshot",
    face: ({ want }) => ({ label: `snapshot of ${want.node}` }),
    async read(ctx, want) {
      const all = await (await registry.client(want.host)).snapshotsOf(refOf(want), ctx.signal);
      return all.some((snapshot) => snapshot.name === want.name) ? want : undefined;
    },
    compare: () => same,
    async create(ctx, want) {
      const client = await registry.client(want.host);
      await take(ctx, client, want);
      await expire(ctx, client, want);
      return want;
    },
    update: (_ctx, want) => Promise.resolve(want),
    remove: async (ctx, have) => drop(ctx, await registry.client(have.host), have, have.name),
    out: ({ name }) => ({ snapshot: name }),
  });

const refOf = ({ on, vmid }: { on: string; vmid: number }) => ({ node: on, vmid });

/** One that is there already was taken by an attempt whose answer got lost. */
async function take(ctx: StepContext, client: ProxmoxClient, want: SnapshotWant): Promise<void> {
  const description = `Node ${want.node} of cluster ${want.cluster}, taken by Slipway.`;
  try {
    const task = await client.takeSnapshot(refOf(want), { name: want.name, description }, ctx.signal);
    await finishTask(ctx, task, {
      what: `${want.on} to take a snapshot of machine ${want.vmid}`,
      ...takeWait,
    });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !/already used/.test(thrown.why)) throw thrown;
  }
}

/** The oldest of ours are removed; what Slipway did not take is never touched. */
async function expire(ctx: StepContext, client: ProxmoxClient, want: SnapshotWant): Promise<void> {
  if (want.keep === undefined) return;
  const ours = (await client.snapshotsOf(refOf(want), ctx.signal)).filter((each) => isOurSnapshot(each.name));
  for (const { name } of ours.slice(0, Math.max(0, ours.length - want.keep)))
    await drop(ctx, client, want, name);
}

async function drop(
  ctx: StepContext,
  client: ProxmoxClient,
  want: SnapshotWant,
  name: string,
): Promise<void> {
  const task = await client.removeSnapshot(refOf(want), name, ctx.signal);
  const what = `${want.on} to remove snapshot ${name} of machine ${want.vmid}`;
  await finishTask(ctx, task, { what, ...removeWait });
}

/** All there are, also those that Slipway did not take. */
export async function listSnapshots(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<MachineSnapshot[]> {
  const lists = machines.map(async (machine) => {
    const all = await (await registry.client(machine.host)).snapshotsOf(machineRef(machine), ctx.signal);
    return all.map((snapshot) => shown(machine, snapshot));
  });
  return (await Promise.all(lists)).flat();
}

const shown = (machine: OwnedMachine, { name, description, takenAt }: SnapshotInfo): MachineSnapshot => ({
  cluster: machine.cluster,
  node: machine.node,
  name,
  description,
  takenAt: new Date(takenAt * 1_000).toISOString(),
  isOurs: isOurSnapshot(name),
});
