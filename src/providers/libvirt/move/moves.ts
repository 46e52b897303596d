import {
  copiedDisks,
  type Graph,
  type GraphNode,
  type Move,
  type Moves,
  type ReadContext,
  type StayingGuest,
  type Survey,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { isDomainOf } from "../machine/find-machine.ts";
import { isNote } from "../run-notes.ts";
import { seenIn } from "../survey/survey.ts";
import { usualMoveMs, type MoveWant } from "./move.ts";
import { moveOutlooks } from "./outlook.ts";

/** Hosts of libvirt share nothing: a machine moves switched off, and its disks are copied. */
export const libvirtMoves = (registry: HostRegistry): Moves<LibvirtHost> => ({
  begun: (host, survey) => begunMoves(registry, host, survey),
  outlook: (ctx, machines, hosts, survey) => moveOutlooks(ctx, registry, machines, hosts, survey),
  staying: (ctx, host, survey) => stayingGuests(ctx, registry, host, survey),
  describe: describeMoves,
});

/** The copy is the machine already, and what is left of the old one waits for it to be proven. */
function begunMoves(registry: HostRegistry, { name }: LibvirtHost, survey: Survey): Move[] {
  const old = (seenIn(survey.own)?.halves ?? []).filter(
    ({ what, host, other }) => what === "old" && (host === name || other === name),
  );
  return old.flatMap((half): Move[] => {
    const machine = survey.machines.find(
      ({ cluster, node, host }) => cluster === half.cluster && node === half.node && host === half.other,
    );
    if (!machine) return [];
    const { host, on } = half;
    return [
      {
        outlook: {
          machine: { ...machine, host, on },
          way: "resumes",
          ...{ disks: [], blockers: [], against: {}, doubts: {} },
        },
        to: registry.host(half.other),
      },
    ];
  });
}

const describeMoves = (moves: Move[]): Graph =>
  moves.map(({ outlook, to }): GraphNode<MoveWant> => {
    const { cluster, node, role, host } = outlook.machine;
    const disksGiB = copiedDisks(outlook, to).reduce((sum, disk) => sum + disk.sizeGiB, 0);
    return {
      id: `${cluster}/move/${node}`,
      kind: "libvirt/move",
      name: `machine ${node}`,
      title: `Move ${node} from ${host} to ${to.name}`,
      want: { ...{ cluster, node, disksGiB }, from: host, to: to.name },
      after: [],
      group: "nodes",
      stage: "machines",
      ...{ cluster, node, role },
      host: to.name,
      drains: "restart",
      usualMs: usualMoveMs({ disksGiB }),
    };
  });

/** What is on the host and neither a machine of ours nor what is left of one. */
async function stayingGuests(
  ctx: ReadContext,
  registry: HostRegistry,
  host: LibvirtHost,
  survey: Survey,
): Promise<StayingGuest[]> {
  const client = await registry.client(host.name);
  const ours = [...survey.machines, ...(seenIn(survey.own)?.halves ?? [])].filter(
    (each) => each.host === host.name,
  );
  const domains = (await client.domains(ctx.signal)).filter(
    (domain) => !isNote(domain) && !ours.some((machine) => isDomainOf(domain, machine)),
  );
  const kept = survey.keptDisks.filter((disk) => disk.host === host.name);
  return [
    ...domains.map(({ name, id }) => ({ name, kind: "machine" as const, isRunning: id >= 0 })),
    ...kept.map(({ volume }) => ({ name: volume, kind: "kept disks" as const, isRunning: false })),
  ];
}
