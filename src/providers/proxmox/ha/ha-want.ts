import type { AntiAffinityRule, HaGroup, HaResource } from "../../../clients/proxmox/index.ts";
import { same, type Difference, type FieldChange } from "../../../plan/index.ts";

/** What of a cluster Proxmox shall keep running by itself; no machines: nothing of it. */
export interface HaWant {
  cluster: string;
  /** Answers for the Proxmox cluster. */
  host: string;
  machines: { node: string; vmid: number; isControlPlane: boolean }[];
  /** Proxmox nodes the file puts the cluster on. */
  nodes: string[];
}

export interface HaHave {
  cluster: string;
  host: string;
  /** Proxmox 8 has groups, 9 has rules. */
  hasGroups: boolean;
  nodeCount: number;
  managed: HaResource[];
  rule?: AntiAffinityRule | undefined;
  group?: HaGroup | undefined;
}

export const haName = (cluster: string): string => `slipway-${cluster}`;
export const haComment = (cluster: string): string => `Cluster ${cluster}, made by Slipway`;

/** Control planes to be kept on different nodes. Proxmox takes no rule that its nodes cannot fulfil. */
export function antiAffinityFor(want: HaWant, nodeCount: number): HaWant["machines"] {
  const controlPlanes = want.machines.filter((machine) => machine.isControlPlane);
  return controlPlanes.length < 2 || controlPlanes.length > nodeCount ? [] : controlPlanes;
}

/** Pure. A machine that was stopped by hand is told by the machine itself, not here. */
export function compareHa(want: HaWant, have: HaHave): Difference {
  const fields = want.machines.length === 0 ? offFields(have) : onFields(want, have);
  if (fields.length === 0) return same;
  return { same: false, action: "update", consequence: fields.some(moves) ? "disturb" : "hot", fields };
}

/** Proxmox moves machines to where its rules have them. */
const moves = ({ field }: FieldChange): boolean => field === "hosts" || field === "anti-affinity";

const offFields = (have: HaHave): FieldChange[] =>
  have.managed.length === 0 && !have.rule && !have.group
    ? []
    : [{ field: "high availability", from: `${have.managed.length} machines`, to: "off" }];

function onFields(want: HaWant, have: HaHave): FieldChange[] {
  return [
    ...machineFields(want, have),
    ...(have.hasGroups ? groupFields(want, have) : ruleFields(want, have)),
  ];
}

const asleep = ["ignored", "disabled"];

function machineFields(want: HaWant, have: HaHave): FieldChange[] {
  return want.machines.flatMap(({ node, vmid }) => {
    const found = have.managed.find((each) => each.vmid === vmid);
    if (!found) return [{ field: node, from: "not managed", to: "managed" }];
    if (asleep.includes(found.state)) return [{ field: node, from: found.state, to: "managed" }];
    const isAstray = have.hasGroups && found.group !== haName(want.cluster);
    return isAstray
      ? [{ field: node, from: `group ${found.group ?? "none"}`, to: `group ${haName(want.cluster)}` }]
      : [];
  });
}

function groupFields(want: HaWant, have: HaHave): FieldChange[] {
  const [from, to] = [
    have.group?.nodes.toSorted().join(", ") ?? "no group",
    want.nodes.toSorted().join(", "),
  ];
  return from === to ? [] : [{ field: "hosts", from, to }];
}

function ruleFields(want: HaWant, have: HaHave): FieldChange[] {
  const named = (vmid: number): string =>
    want.machines.find((machine) => machine.vmid === vmid)?.node ?? `machine ${vmid}`;
  const words = (vmids: number[]): string =>
    vmids.length === 0
      ? "no rule"
      : vmids
          .toSorted((a, b) => a - b)
          .map(named)
          .join(", ");
  const to = words(antiAffinityFor(want, have.nodeCount).map((machine) => machine.vmid));
  const from = have.rule?.isOn === false ? "rule switched off" : words(have.rule?.vmids ?? []);
  return from === to ? [] : [{ field: "anti-affinity", from, to }];
}
