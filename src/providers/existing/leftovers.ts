import {
  leftoverMachine,
  type Graph,
  type GraphNode,
  type OwnedMachine,
  type RemovalBlocker,
  type RemovalScope,
  type Survey,
} from "../../plan/index.ts";
import type { MachineKey } from "./machine/machine-want.ts";

const usualResetMs = 90_000;

/** Machines that leave are emptied and wait for their next cluster; they stay where they are. */
export const describeLeftovers = (
  survey: Survey,
  isUnwanted: (machine: OwnedMachine) => boolean,
  { losesData }: RemovalScope,
): Graph => survey.machines.filter(isUnwanted).map((machine) => emptied(machine, losesData));

function emptied(machine: OwnedMachine, losesData: boolean): GraphNode<MachineKey> {
  const { host, cluster, node } = machine;
  const step = leftoverMachine(
    machine,
    losesData,
    (kept) => ({ keptDisks: kept.map((disk) => disk.volume).join(", ") }),
    {
      kind: "existing/machine",
      want: { host, cluster, node, losesData: losesData ? true : undefined },
      usualMs: usualResetMs,
    },
  );
  return { ...step, title: `Empty machine ${node}` };
}

/** What cannot be reached cannot be emptied, and would come back with the secrets of its cluster. */
export const silentBlockers = (machines: OwnedMachine[]): RemovalBlocker[] =>
  machines
    .filter(({ isRunning }) => !isRunning)
    .map((machine) => ({
      machine,
      why: `${machine.node} does not answer, so it cannot be emptied`,
      next: `Switch ${machine.node} on, or take it out of the list of machines to leave it as it is`,
    }));
