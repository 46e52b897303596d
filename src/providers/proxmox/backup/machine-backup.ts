import { SlipwayError } from "../../../errors/index.ts";
import type { MachineArchive, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, type ReadContext, type StepContext, same } from "../../../plan/index.ts";
import { finishTask } from "../tasks.ts";
import type { HostRegistry } from "../host-registry.ts";
import { archiveMissing, backupStorageFull } from "./errors.ts";

/** A machine by where it is, and where its backup goes. */
export interface BackupWant {
  cluster: string;
  node: string;
  host: string;
  on: string;
  vmid: number;
  storage: string;
  /** By which the backup of this moment is told from others. */
  name: string;
}

export interface BackupHave extends BackupWant {
  archive: string;
}

// Hundreds of gigabytes over a slow line are no failure.
const backupWait = { deadlineMs: 12 * 60 * 60_000, usualMs: 60_000 };

/** A backup of a whole machine, as Proxmox makes them. It is never removed: what a storage keeps is its own business. */
export const proxmoxBackup = (registry: HostRegistry) =>
  defineResource<BackupWant, BackupHave>({
    kind: "proxmox/backup",
    face: ({ want }) => ({ label: `backup of ${want.node}` }),
    async read(ctx, want) {
      const found = await taken(ctx, await registry.client(want.host), want);
      return found && { ...want, archive: found.volume };
    },
    compare: () => same,
    create: (ctx, want) =>
      // Proxmox makes one at a time on each of its nodes; the others would only wait there, untold.
      ctx.holding(`${want.host}/${want.on}/vzdump`, 1, async () => {
        const client = await registry.client(want.host);
        return { ...want, archive: await backUp(ctx, client, want) };
      }),
    update: (_ctx, _want, have) => Promise.resolve(have),
    remove: () => Promise.resolve(),
    out: ({ archive }) => ({ archive }),
  });

/** What Proxmox shows beside a backup, and what it is found by when the number of its machine is forgotten. */
export const notesStart = ({ cluster, node }: { cluster: string; node: string }): string =>
  `Node ${node} of cluster ${cluster}, ${backedUpBySlipway}`;
export const backedUpBySlipway = "backed up by Slipway";

const notesOf = (want: BackupWant): string => `${notesStart(want)} (${want.name})`;

const ofMachine = async (ctx: ReadContext, client: ProxmoxClient, want: BackupWant) =>
  (await client.archives(want.on, want.storage, ctx.signal)).filter(({ vmid }) => vmid === want.vmid);

/** By an attempt whose answer got lost. */
const taken = async (
  ctx: ReadContext,
  client: ProxmoxClient,
  want: BackupWant,
): Promise<MachineArchive | undefined> =>
  (await ofMachine(ctx, client, want)).findLast(({ notes }) => notes === notesOf(want));

/** One that is under way, left by a run that was cut, is as good: nothing was changed since it began. */
async function backUp(ctx: StepContext, client: ProxmoxClient, want: BackupWant): Promise<string> {
  const known = await taken(ctx, client, want);
  if (known) return known.volume;
  const { on, vmid, storage } = want;
  const running = (await client.runningTasks(on, ctx.signal)).find(
    ({ type, id }) => type === "vzdump" && id === String(vmid),
  );
  const to = { storage, notes: notesOf(want) };
  const doing = `back machine ${vmid} up to storage ${storage}`;
  const before = await ofMachine(ctx, client, want);
  try {
    const task = running
      ? client.task(running.upid, doing)
      : await client.backUpMachine({ node: on, vmid }, to, ctx.signal);
    await finishTask(ctx, task, { what: `${on} to ${doing}`, ...backupWait });
  } catch (thrown) {
    if (thrown instanceof SlipwayError && /No space left on device/.test(thrown.why))
      throw backupStorageFull({ ...want, cause: thrown });
    throw thrown;
  }
  const earlier = new Set(before.map(({ volume }) => volume));
  const made = (await ofMachine(ctx, client, want)).findLast(({ volume }) => !earlier.has(volume));
  if (!made) throw archiveMissing(want);
  return made.volume;
}
