import { SlipwayError } from "../../errors/index.ts";
import type { MachineConfig, MachineState, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import type { HostBook } from "./host-book.ts";
import { readMachine, type MachineHave, type MachineKey } from "./machine-config.ts";
import { readMark } from "./ownership.ts";

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
    const [state, isRunning] = await Promise.all([
      client.machineState(machine, ctx.signal),
      client.isMachineRunning(machine, ctx.signal),
    ]);
    return isBeingMade(state.now) ? { state: "making", on } : whose(key, state, { on, isRunning });
  } catch (thrown) {
    if (isUnseen(thrown)) return undefined;
    throw thrown;
  }
}

/** Whoever has rights in a pool only is refused a number that nobody has in the same words as somebody else's. */
export const isUnseen = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && ["PVE_NOT_FOUND", "PVE_FORBIDDEN"].includes(thrown.code);

/** While a machine is copied, Proxmox keeps its number with a text of its own; the mark comes at the end. */
const isBeingMade = ({ lock, description = "" }: MachineConfig): boolean =>
  lock === "create" || (lock === "clone" && readMark(description) === undefined);

/** Decides by the mark in the description; tags can be typed by anybody. */
export function whose(
  key: MachineKey,
  { now, next }: MachineState,
  place: { on: string; isRunning: boolean },
): Found {
  const have = readMachine(now, { host: key.host, vmid: key.vmid, ...place }, next);
  if (!have)
    return { state: "foreign", on: place.on, owner: `"${now["name"] ?? "a machine"}" without our mark` };
  if (have.cluster === key.cluster && have.node === key.node) return { state: "ours", have };
  return { state: "foreign", on: place.on, owner: `node "${have.node}" of cluster "${have.cluster}"` };
}
