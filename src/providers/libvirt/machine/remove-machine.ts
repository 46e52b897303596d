import path from "node:path";
import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { poolMissing } from "../errors.ts";
import { pathOf, type MachineHave } from "./find-machine.ts";
import { consoleVolume, isSeedOf, readDataVolume, systemVolume } from "../names.ts";
import { unlessMissing, volumesIn } from "../pool/open-pool.ts";
import { pullPlug } from "./power.ts";

/**
 * Takes a machine of ours away: switched off hard, its volumes removed, its definition last, for that carries the mark by
 * which a run that was cut finds the rest. Data disks that are kept stay where they are, under their names.
 */
export async function removeMachine(
  ctx: StepContext,
  client: LibvirtClient,
  have: MachineHave,
): Promise<void> {
  const { signal } = ctx;
  await demandPools(ctx, client, have);
  await pullPlug(ctx, client, have.domain);
  await removeVolumes(ctx, client, have);
  await unlessMissing(() => client.undefineDomain(have.domain, signal));
}

/** A pool that is not started shows no volumes, and those of the machine would stay behind unseen. */
async function demandPools(ctx: StepContext, client: LibvirtClient, have: MachineHave): Promise<void> {
  const folders = new Set(have.defined.disks.map((disk) => path.posix.dirname(pathOf(disk.source))));
  for (const place of Object.values(have.places)) {
    if (!folders.has(place.path) || (await client.poolInfo(place.pool, ctx.signal)).isActive) continue;
    throw poolMissing({ doing: `remove machine ${have.node}`, pool: place.pool.name, host: have.host });
  }
}

/** By name, for a run that was cut may have made what no definition refers to. Others' disks are let go, not removed. */
export async function removeVolumes(
  ctx: StepContext,
  client: LibvirtClient,
  have: Pick<MachineHave, "cluster" | "node" | "mark" | "losesData" | "places">,
): Promise<void> {
  const { cluster, node } = have;
  for (const place of Object.values(have.places)) {
    for (const [name, volume] of await volumesIn(client, place, ctx.signal)) {
      const isOwn =
        isSystemOf(cluster, node, name) ||
        isSeedOf(cluster, node, name) ||
        name === consoleVolume(cluster, node) ||
        isLostData(have, name);
      if (isOwn) await unlessMissing(() => client.removeVolume(volume, ctx.signal));
    }
  }
}

const isSystemOf = (cluster: string, node: string, name: string): boolean =>
  name === systemVolume(cluster, node, "qcow2") || name === systemVolume(cluster, node, "raw");

/** Data goes with its machine when it was asked for, or when the file says that it does not outlive it. */
function isLostData(
  { cluster, node, mark, losesData }: Pick<MachineHave, "cluster" | "node" | "mark" | "losesData">,
  name: string,
): boolean {
  const found = readDataVolume(name);
  if (!found || found.cluster !== cluster || found.node !== node) return false;
  return losesData === true || mark.data?.[found.number - 1]?.isDisposable === true;
}
