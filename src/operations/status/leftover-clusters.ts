import type { Survey } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import { marksIn } from "../down.ts";
import type { ClusterStatus, NodeStatus } from "./cluster-status.ts";

/** Clusters that are not in the file while something on its hosts still carries their mark. */
export const findLeftoverClusters = (survey: Survey, { clusters }: Fleet): ClusterStatus[] =>
  [...marksIn(survey)]
    .filter((name) => !clusters.some((cluster) => cluster.name === name))
    .toSorted()
    .map((name) => leftoverCluster(name, survey));

function leftoverCluster(name: string, survey: Survey): ClusterStatus {
  const machines = survey.machines.filter((machine) => machine.cluster === name);
  const disks = keptDiskText(name, survey);
  return {
    cluster: name,
    state: "Leftover",
    ready: 0,
    nodes: machines.map((machine): NodeStatus => ({
      node: machine.node,
      role: machine.role,
      state: machine.isRunning ? "Unreachable" : "Stopped",
      address: "",
      host: machine.host,
      vmid: machine.id,
      know: "not in the file",
    })),
    version: "",
    // Short, so that the table has room for it.
    know: `not in the file${disks === undefined ? "" : `, ${disks}`}`,
  };
}

/** `2 data disks kept`; undefined when none is. */
export function keptDiskText(cluster: string, survey: Survey): string | undefined {
  const { length } = survey.keptDisks.filter((disk) => disk.cluster === cluster);
  if (length === 0) return undefined;
  return length === 1 ? "1 data disk kept" : `${length} data disks kept`;
}
