import type { Survey } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import { marksIn } from "./going.ts";
import type { ClusterStatus, NodeStatus } from "./status.ts";

/** Clusters that are not in the file while something on its hosts still carries their mark. */
export const findOrphans = (survey: Survey, { clusters }: Fleet): ClusterStatus[] =>
  [...marksIn(survey)]
    .filter((name) => !clusters.some((cluster) => cluster.name === name))
    .toSorted()
    .map((name) => orphan(name, survey));

function orphan(name: string, survey: Survey): ClusterStatus {
  const machines = survey.machines.filter((machine) => machine.cluster === name);
  const disks = keptDiskWords(name, survey);
  return {
    cluster: name,
    state: "Orphaned",
    ready: 0,
    nodes: machines.map((machine): NodeStatus => ({
      node: machine.node,
      role: machine.role,
      state: machine.isRunning ? "Silent" : "Stopped",
      address: "",
      host: machine.host,
      vmid: machine.vmid,
      know: "not in the file",
    })),
    version: "",
    // Short, so that the table has room for it.
    know: `not in the file${disks === undefined ? "" : `, ${disks}`}`,
  };
}

/** `2 data disks kept`; undefined when none is. */
export function keptDiskWords(cluster: string, survey: Survey): string | undefined {
  const { length } = survey.keptDisks.filter((disk) => disk.cluster === cluster);
  if (length === 0) return undefined;
  return length === 1 ? "1 data disk kept" : `${length} data disks kept`;
}
