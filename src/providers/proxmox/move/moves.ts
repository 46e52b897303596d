import type {
  Graph,
  GraphNode,
  Move,
  Moves,
  ReadContext,
  StayingGuest,
  Survey,
} from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { nodeNameOf } from "../../../spec/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { vmidOf } from "../machine/machine-want.ts";
import { surveyedTemplates } from "../survey/own-survey.ts";
import { moveOutlooks } from "./outlook.ts";
import { usualMoveMs, type MoveWant } from "./move.ts";

/** Machines of a Proxmox cluster move between its nodes. */
export const proxmoxMoves = (registry: HostRegistry): Moves<ProxmoxHost> => ({
  outlook: (ctx, machines, hosts, survey) => moveOutlooks(ctx, registry, machines, hosts, survey),
  staying: (ctx, host, survey) => stayingGuests(ctx, registry, host, survey),
  describe: describeMoves,
});

const describeMoves = (moves: Move[]): Graph =>
  moves.map(({ outlook: { machine, disks }, to }): GraphNode<MoveWant> => {
    const { cluster, node, role, host, on } = machine;
    const disksGiB = disks.reduce((sum, disk) => sum + disk.sizeGiB, 0);
    return {
      id: `${cluster}/move/${node}`,
      kind: "proxmox/move",
      name: `machine ${node}`,
      title: `Move ${node} from ${on} to ${nodeNameOf(to)}`,
      want: {
        ...{ cluster, node, host, disksGiB },
        isControlPlane: role === "control-plane",
        vmid: vmidOf(machine),
        from: on,
        to: nodeNameOf(to),
      },
      after: [],
      group: "nodes",
      stage: "machines",
      ...{ cluster, node, role },
      host: to.name,
      usualMs: usualMoveMs({ disksGiB, memoryGiB: machine.memoryMiB / 1024 }),
    };
  });

/** What is on the host and none of our machines. */
async function stayingGuests(
  ctx: ReadContext,
  registry: HostRegistry,
  host: ProxmoxHost,
  survey: Survey,
): Promise<StayingGuest[]> {
  const client = await registry.client(host.name);
  const { node } = host.proxmox;
  const [machines, guests] = await Promise.all([
    client.machines(node, ctx.signal),
    client.guests(ctx.signal),
  ]);
  const idsOf = (owned: { on: string; id?: number; vmid?: number }[]): Set<number | undefined> =>
    new Set(owned.filter(({ on }) => on === node).map(({ id, vmid }) => id ?? vmid));
  const ours = idsOf(survey.machines);
  const holders = idsOf(survey.keptDisksHolders);
  const templates = idsOf(surveyedTemplates(survey));
  const kindOf = (vmid: number, isTemplate: boolean): StayingGuest["kind"] =>
    holders.has(vmid) ? "kept disks" : isTemplate || templates.has(vmid) ? "template" : "machine";
  return [
    ...machines
      .filter(({ vmid }) => !ours.has(vmid))
      .map(({ vmid, name, isTemplate, isRunning }) => ({
        ...{ name, isRunning, id: vmid },
        kind: kindOf(vmid, isTemplate),
      })),
    ...guests
      .filter((guest) => guest.kind === "lxc" && guest.node === node)
      .map(({ vmid, name }) => ({ name, id: vmid, kind: "container" as const, isRunning: true })),
  ];
}
