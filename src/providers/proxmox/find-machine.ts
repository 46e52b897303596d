import { SlipwayError } from "../../errors/index.ts";
import type { MachineConfig, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import type { HostBook } from "./host-book.ts";
import { readMachine, type MachineHave, type MachineKey } from "./machine-config.ts";

/** What stands under a VMID. */
export type Found =
  | { state: "absent" }
  /** Locked by its creation; Proxmox writes the mark only at the end of it. */
  | { state: "making"; on: string }
  | { state: "foreign"; on: string; owner: string }
  | { state: "ours"; have: MachineHave };

/** Asks for one machine: on the node it should be on, then wherever in that Proxmox cluster it is. */
export async function findMachine(ctx: ReadContext, book: HostBook, key: MachineKey): Promise<Found> {
  const client = await book.client(key.host);
  const home = book.host(key.host).proxmox.node;
  const atHome = await configAt(client, home, key.vmid, ctx.signal);
  if (atHome) return judge(ctx, client, key, home, atHome);
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === key.vmid);
  if (guest?.kind === "lxc") return { state: "foreign", on: guest.node, owner: `container "${guest.name}"` };
  if (!guest || guest.node === home) return { state: "absent" };
  const elsewhere = await configAt(client, guest.node, key.vmid, ctx.signal);
  return elsewhere ? judge(ctx, client, key, guest.node, elsewhere) : { state: "absent" };
}

async function configAt(
  client: ProxmoxClient,
  node: string,
  vmid: number,
  signal: AbortSignal,
): Promise<MachineConfig | undefined> {
  try {
    return await client.machineConfig({ node, vmid }, signal);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

async function judge(
  ctx: ReadContext,
  client: ProxmoxClient,
  key: MachineKey,
  on: string,
  config: MachineConfig,
): Promise<Found> {
  if (config["lock"] === "create") return { state: "making", on };
  const isRunning = await client.isMachineRunning({ node: on, vmid: key.vmid }, ctx.signal);
  return whose(key, config, { on, isRunning });
}

/** Decides by the mark in the description; tags can be typed by anybody. */
export function whose(
  key: MachineKey,
  config: MachineConfig,
  place: { on: string; isRunning: boolean },
): Found {
  const have = readMachine(config, { host: key.host, vmid: key.vmid, ...place });
  if (!have)
    return { state: "foreign", on: place.on, owner: `"${config["name"] ?? "a machine"}" without our mark` };
  if (have.cluster === key.cluster && have.node === key.node) return { state: "ours", have };
  return { state: "foreign", on: place.on, owner: `node "${have.node}" of cluster "${have.cluster}"` };
}
