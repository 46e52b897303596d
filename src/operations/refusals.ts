import type { Change, Refusal } from "../plan/index.ts";

/** Taking a control plane away needs etcd's consent, which this version does not ask for. */
export function controlPlaneStays(change: Change): Refusal | undefined {
  if (change.action !== "remove" || change.node.role !== "control-plane") return undefined;
  return {
    step: change.node.id,
    consequence: "remove",
    why: `${change.node.node ?? change.node.name} is a member of etcd; removing its machine could cost the quorum`,
    next: "Put the control plane back into the file; take the whole cluster down to make it smaller",
  };
}

/** Losing data needs its own word, naming the node. */
export function dataWouldGo(change: Change, accepted: string[]): Refusal | undefined {
  if (change.consequence !== "data" && change.loses === undefined) return undefined;
  const node = change.node.node ?? change.node.name;
  if (accepted.includes(node)) return undefined;
  return {
    step: change.node.id,
    consequence: "data",
    why: change.loses ?? "data on its disks would be lost",
    next: `slipway up --accept-data-loss ${node}`,
  };
}
