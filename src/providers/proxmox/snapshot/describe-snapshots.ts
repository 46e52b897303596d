import type { Graph, GraphNode, OwnedMachine } from "../../../plan/index.ts";
import { machineKeyOf } from "../machine/machine-want.ts";
import type { RollbackWant } from "./rollback.ts";
import type { SnapshotWant } from "./snapshot.ts";

const usualMs = 2_000;

/** A snapshot of each of these machines, under one name, in the order of the machines. */
export const describeSnapshots = (
  machines: OwnedMachine[],
  snapshot: { name: string; keep?: number },
): Graph =>
  machines.map((machine): GraphNode<SnapshotWant> => {
    // It is not part of making the node, and must not stand for it in a plan.
    const { node: _node, role: _role, ...step } = stepOf(machine, "snapshot", `snapshot of ${machine.node}`);
    return { ...step, kind: "proxmox/snapshot", want: { ...placeOf(machine), ...snapshot } };
  });

/** Etcd must not see members of two times at once, so the parts of all machines are kept in step. */
export function describeRollback(machines: OwnedMachine[], name: string): Graph {
  const part = (which: RollbackWant["part"], words: string, after: string[]): GraphNode<RollbackWant>[] =>
    machines.map((machine) => ({
      ...stepOf(machine, `rollback-${which}`, `${words} ${machine.node}`),
      kind: "proxmox/rollback",
      want: { ...placeOf(machine), name, part: which },
      after,
    }));
  const stops = part("stop", "stop of", []);
  const backs = part("back", "rollback of", ids(stops));
  return [...stops, ...backs, ...part("start", "start of", ids(backs))];
}

const ids = (graph: Graph): string[] => graph.map((node) => node.id);

const placeOf = (machine: OwnedMachine) => ({ ...machineKeyOf(machine), on: machine.on });

const stepOf = (machine: OwnedMachine, what: string, name: string) => ({
  id: `${machine.cluster}/${what}/${machine.node}`,
  name,
  after: [] as string[],
  group: "nodes" as const,
  stage: "machines" as const,
  cluster: machine.cluster,
  host: machine.host,
  node: machine.node,
  role: machine.role,
  usualMs,
});
