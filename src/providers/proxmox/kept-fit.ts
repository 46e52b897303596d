import type { PlacedNode, Survey } from "../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../spec/index.ts";
import { keptDiskElsewhere, keptDiskLarger } from "./errors.ts";

/** Refuses to make a node anew beside data disks that wait for it and that it could not take. */
export function demandKeptFit(cluster: Cluster, placed: PlacedNode<ProxmoxHost>[], survey: Survey): void {
  for (const { node, host, on = host.proxmox.node } of placed) {
    const exists = survey.machines.some(
      (machine) => machine.cluster === cluster.name && machine.node === node.name,
    );
    if (exists) continue;
    for (const kept of survey.keptDisks) {
      if (kept.cluster !== cluster.name || kept.node !== node.name) continue;
      const wanted = node.dataDisks[kept.index];
      if (!wanted) continue;
      const names = { cluster: cluster.name, node: node.name };
      if (kept.on !== on) throw keptDiskElsewhere({ ...names, on: kept.on, wanted: on });
      if (kept.sizeGiB > wanted.sizeGiB)
        throw keptDiskLarger({
          ...names,
          index: kept.index,
          keptGiB: kept.sizeGiB,
          wantedGiB: wanted.sizeGiB,
        });
    }
  }
}
