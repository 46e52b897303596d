import type { MachineIds, Survey } from "../../plan/index.ts";
import type { Cluster, Host, Node } from "../../spec/index.ts";
import { seenIn } from "./survey/own-survey.ts";

/** Where VMIDs come from when the file names none: control planes from 2000, workers from 3000. */
const ranges = { "control-plane": 2000, worker: 3000 } as const;

/** VMIDs in use by anybody where this host is, as the survey saw it. */
export const takenVmids = (survey: Survey, host: string): ReadonlySet<number> =>
  new Set(seenIn(survey.own)?.taken[host]);

/**
 * VMIDs that are neither in use nor spoken for in the file. Numbers are never shared, not even between separate Proxmox
 * clusters.
 */
export class VmidLedger implements MachineIds {
  private readonly spoken: Set<number>;
  private readonly survey: Survey;
  private readonly taken = new Map<string, ReadonlySet<number>>();
  /** Below it everything is spoken for, by where the range begins: it is not walked again for every node. */
  private readonly firstFree = new Map<number, number>();
  /** What things were given that several clusters of one plan share. */
  private readonly shared = new Map<string, number>();

  constructor(survey: Survey, clusters: Cluster[]) {
    this.survey = survey;
    this.spoken = new Set(clusters.flatMap((cluster) => cluster.nodes.flatMap((node) => node.vmid ?? [])));
  }

  forNode(node: Node, host: Host): number {
    return node.vmid ?? this.take(host, ranges[node.role]);
  }

  forShared(thing: string, host: Host, from: number): number {
    const place = `${host.name} ${thing}`;
    const vmid = this.shared.get(place) ?? this.take(host, from);
    this.shared.set(place, vmid);
    return vmid;
  }

  private take(host: Host, from: number): number {
    const taken = this.takenOn(host);
    let vmid = this.firstFree.get(from) ?? from;
    while (this.spoken.has(vmid)) vmid += 1;
    this.firstFree.set(from, vmid);
    while (this.spoken.has(vmid) || taken.has(vmid)) vmid += 1;
    this.spoken.add(vmid);
    return vmid;
  }

  private takenOn({ name }: Host): ReadonlySet<number> {
    const taken = this.taken.get(name) ?? takenVmids(this.survey, name);
    this.taken.set(name, taken);
    return taken;
  }
}
