import type { LeftoverMachine, Mark } from "../../exports/graph/index.ts";
import type { OwnedMachine, Survey } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";

/** Machines that carry the mark of a cluster and are not in the file; all of them where the cluster itself is not. */
export const leftoversOf = (name: string, cluster: Cluster | undefined, survey: Survey): OwnedMachine[] =>
  survey.machines.filter(
    (machine) => machine.cluster === name && !cluster?.nodes.some((node) => node.name === machine.node),
  );

export const leftoverOf = (machine: OwnedMachine, mark: Mark, note?: string): LeftoverMachine => ({
  name: machine.node,
  role: machine.role,
  pool: "",
  host: machine.host,
  vmid: machine.id,
  cores: machine.cores,
  memoryMiB: machine.memoryMiB,
  dataDisks: machine.dataDisksGiB.map((sizeGiB) => ({ sizeGiB })),
  mark,
  note,
});
