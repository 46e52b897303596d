import { createHash } from "node:crypto";
import { SlipwayError } from "../../errors/index.ts";
import type { MachineRef, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ReadContext, RunNotes } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";
import { notePlaceTaken } from "./errors.ts";
import type { Connect } from "./host-registry.ts";

const firstVmid = 999_000_000;
const mostVmids = 900_000;
/** A machine without a disk is made and removed in a moment. */
const usualMs = 1_500;

const nameOf = (cluster: string): string => `slipway-lock-${cluster}`;

/** Found from the name alone, so that everybody tries the same number; Proxmox gives a number to one of them. */
export const noteVmid = (cluster: string): number =>
  firstVmid + (createHash("sha256").update(cluster).digest().readUInt32BE(0) % mostVmids);

/** Nowhere, when it is no longer the one that was read. */
type PlaceOfVersion = (
  ctx: ReadContext,
  host: ProxmoxHost,
  cluster: string,
  version: string,
) => Promise<MachineRef | undefined>;

/**
 * A note is a machine that never runs: no disk, no card. To make one is the only thing on Proxmox that one of several
 * at the same time can do, with no more rights than any machine needs.
 */
export function proxmoxNotes(connect: Connect): RunNotes<ProxmoxHost> {
  /** Where each version of a note was read; it is renewed there without another look. */
  const places = new Map<string, { version: string; machine: MachineRef }>();
  const placeOf = (host: ProxmoxHost, cluster: string): string => `${host.name}/${cluster}`;
  const find = async (ctx: ReadContext, host: ProxmoxHost, cluster: string) => {
    const client = await connect(host);
    const vmid = noteVmid(cluster);
    const here = { node: host.proxmox.node, vmid };
    const found = (await configOf(ctx, client, here)) ?? (await elsewhere(ctx, client, vmid));
    if (!found) return undefined;
    const { name = "", description = "", digest = "" } = found.config;
    if (name !== nameOf(cluster)) throw notePlaceTaken({ cluster, vmid, name });
    return { machine: found.machine, text: description, version: digest };
  };

  const placeOfVersion: PlaceOfVersion = async (ctx, host, cluster, version) => {
    const place = places.get(placeOf(host, cluster));
    if (place?.version === version) return place.machine;
    const found = await find(ctx, host, cluster);
    return found?.version === version ? found.machine : undefined;
  };

  /** Proxmox writes only while the digest is still the one that was read, so all but one of several fail. */
  const write: RunNotes<ProxmoxHost>["renew"] = async (ctx, host, cluster, text, version) => {
    const machine = await placeOfVersion(ctx, host, cluster, version);
    if (!machine) return false;
    try {
      await (await connect(host)).describeMachine(machine, text, version, ctx.signal);
      return true;
    } catch (thrown) {
      if (isOutdated(thrown) || hasCode(thrown, "PVE_NOT_FOUND")) return false;
      throw thrown;
    }
  };

  return {
    read: async (ctx, host, cluster) => {
      const found = await find(ctx, host, cluster);
      if (found) places.set(placeOf(host, cluster), found);
      return found && { text: found.text, version: found.version };
    },

    async create(ctx, host, cluster, text) {
      const client = await connect(host);
      const { node, pool } = host.proxmox;
      try {
        const task = await client.createMachine(
          node,
          {
            vmid: noteVmid(cluster),
            name: nameOf(cluster),
            description: text,
            pool,
            ostype: "other",
            cores: 1,
            memory: "16",
            onboot: false,
          },
          ctx.signal,
        );
        await task.wait(ctx.signal, undefined, usualMs);
        return true;
      } catch (thrown) {
        if (hasCode(thrown, "PVE_ALREADY_EXISTS")) return false;
        throw thrown;
      }
    },

    renew: write,
    takeOver: write,

    async remove(ctx, host, cluster, version) {
      const machine = await placeOfVersion(ctx, host, cluster, version);
      if (!machine) return;
      const task = await (await connect(host)).removeMachineOnly(machine, ctx.signal);
      await task.wait(ctx.signal, undefined, usualMs);
    },
  };
}

/** In a cluster of hosts the number may be taken on another node than the one the file begins with. */
async function elsewhere(ctx: ReadContext, client: ProxmoxClient, vmid: number) {
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === vmid);
  return guest && configOf(ctx, client, { node: guest.node, vmid });
}

async function configOf(ctx: ReadContext, client: ProxmoxClient, machine: MachineRef) {
  try {
    return { machine, config: await client.machineConfig(machine, ctx.signal) };
  } catch (thrown) {
    // With rights on a pool only, what is not there is forbidden, because it is in no pool.
    if (hasCode(thrown, "PVE_NOT_FOUND") || hasCode(thrown, "PVE_FORBIDDEN")) return undefined;
    throw thrown;
  }
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof SlipwayError && thrown.code === code;

const isOutdated = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && thrown.why.includes("checksum mismatch");
