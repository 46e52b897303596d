import { failed, machineOf, type Check, type PlacedNode, type ReadContext } from "../../../plan/index.ts";
import { vmidOf } from "../machine/machine-want.ts";
import { takenVmids } from "../vmids.ts";
import { vmidsTaken } from "./errors.ts";
import { placedCheck, type HostView } from "./host-view.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";

export const vmidsCheck = (view: HostView): Check =>
  placedCheck(view, "proxmox-vmids", ["VMIDs are free or ours", "VMIDs are taken"], async (ctx) => {
    const inUse = takenVmids(view.survey, view.host.name);
    const doubtful = view.placed.filter(
      (each) => inUse.has(vmidOf(each)) && machineOf(view, each.node.name)?.id !== each.id,
    );
    const needed = ranges(view.placed.map(vmidOf));
    if (doubtful.length === 0) return { status: "ok", needed, found: "free or ours" };
    const taken = (await Promise.all(doubtful.map((each) => holderOf(ctx, view, each)))).flat();
    if (taken.length > 0) return failed(vmidsTaken({ host: view.host, taken }), { needed });
    return { status: "ok", needed, found: `${doubtful.length} still being created by an earlier run` };
  });

/** None, when it is locked by its creation: an earlier run was cut there, and this one goes on with it. */
async function holderOf(ctx: ReadContext, view: HostView, placed: PlacedNode<ProxmoxHost>) {
  const { node } = placed;
  const vmid = vmidOf(placed);
  const client = await view.client();
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === vmid);
  if (!guest) return [];
  const machines = guest.kind === "qemu" ? await client.machines(guest.node, ctx.signal) : [];
  if (machines.find((each) => each.vmid === vmid)?.lock === "create") return [];
  const kind = guest.kind === "lxc" ? "container" : "machine";
  const owner = view.survey.machines.find((each) => each.id === vmid && each.host === view.host.name);
  // Two machines of one node: the plan refuses that, and names both.
  if (owner?.node === node.name && owner.cluster === view.cluster.name) return [];
  const by = owner
    ? `node ${owner.node} of cluster ${owner.cluster}`
    : `${kind} "${guest.name}" on ${guest.node}, not made by Slipway`;
  return [{ node: node.name, vmid, by }];
}

/** `2000-2002, 3000`. */
function ranges(vmids: number[]): string {
  const runs: [number, number][] = [];
  for (const vmid of vmids.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === vmid - 1) last[1] = vmid;
    else runs.push([vmid, vmid]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
