import type { Cluster, Host } from "../spec/index.ts";
import type { Survey } from "./provider.ts";

/** VMIDs in use or spoken for in the file. Numbers are never shared, not even between separate Proxmox clusters. */
export class VmidLedger {
  private readonly spoken: Set<number>;
  private readonly survey: Survey;

  constructor(survey: Survey, clusters: Cluster[]) {
    this.survey = survey;
    this.spoken = new Set(clusters.flatMap((cluster) => cluster.nodes.flatMap((node) => node.vmid ?? [])));
  }

  take(host: Host, from: number): number {
    const taken = this.survey.takenVmids.get(host.name);
    let vmid = from;
    while (this.spoken.has(vmid) || taken?.has(vmid)) vmid += 1;
    this.spoken.add(vmid);
    return vmid;
  }
}
