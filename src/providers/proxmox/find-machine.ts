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
  const atHome = await lookAt(ctx, client, home, key);
  if (atHome) return atHome;
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === key.vmid);
  if (guest?.kind === "lxc") return { state: "foreign", on: guest.node, owner: `container "${guest.name}"` };
  if (!guest || guest.node === home) return { state: "absent" };
  return (await lookAt(ctx, client, guest.node, key)) ?? { state: "absent" };
}

async function lookAt(
  ctx: ReadContext,
  client: ProxmoxClient,
  on: string,
  key: MachineKey,
): Promise<Found | undefined> {
  const machine = { node: on, vmid: key.vmid };
  try {
    const [config, isRunning] = await Promise.all([
      client.machineConfig(machine, ctx.signal),
      client.isMachineRunning(machine, ctx.signal),
    ]);
    return config["lock"] === "create" ? { state: "making", on } : whose(key, config, { on, isRunning });
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
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
