import { findingOfNodes, type Check, type PlacedNode, type Survey } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { machinesNotRunning, machinesNotSeen } from "./errors.ts";

export interface MachineFacts {
  cluster: Cluster;
  survey: Survey;
  placed: PlacedNode[];
}

/** Every machine is there and runs, on the host that the file gives it. */
export const machinesRun = ({ cluster, survey, placed }: MachineFacts): Check => ({
  id: "machines-run",
  title: "Machines run",
  failing: "Machines do not run",
  async run() {
    const owned = survey.machines.filter((machine) => machine.cluster === cluster.name);
    const unreachable = survey.unreachable.filter(({ host }) => cluster.on.includes(host));
    const [silent] = unreachable;
    const unseen = `is unknown: host ${unreachable.map(({ host }) => host).join(", ")} cannot be asked`;
    const faults = cluster.nodes.flatMap((node): [string, string][] => {
      const machine = owned.find((known) => known.node === node.name);
      const place = placed.find((known) => known.node.name === node.name);
      if (!machine) return [[node.name, silent ? unseen : "has no machine of ours"]];
      if (!machine.isRunning)
        return [
          [
            node.name,
            `is stopped (${machine.id === undefined ? "" : `VMID ${machine.id} `}on ${machine.on})`,
          ],
        ];
      if (place?.on !== undefined) return [[node.name, `runs on ${place.on}, which the file does not name`]];
      return node.host !== undefined && node.host !== machine.host
        ? [[node.name, `runs on ${machine.host} instead of ${node.host}`]]
        : [];
    });
    return findingOfNodes(
      {
        all: cluster.nodes.length,
        needed: "every machine runs on its host",
        faults: Object.fromEntries(faults),
        good: "on the planned hosts",
      },
      (why) =>
        silent && faults.every(([, fault]) => fault === unseen)
          ? machinesNotSeen({ cluster: cluster.name, host: silent.host, trouble: silent.error })
          : machinesNotRunning({ cluster: cluster.name, why }),
    );
  },
});
