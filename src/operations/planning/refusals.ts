import type { Change, RemovalBlocker, OwnedMachine, Refusal } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";

/** What its own kind keeps: a member of etcd that the others cannot spare. */
export function cannotBeSpared({ node, blocker }: Change): Refusal | undefined {
  if (!blocker) return undefined;
  return {
    step: node.id,
    consequence: "remove",
    why: blocker.why,
    next: blocker.next,
    error: blocker,
    // The others would forget its name in their certificates, though it stays.
    holds: node.cluster,
  };
}

/** Losing data needs its own word, naming the node or the add-on. */
export function dataWouldGo(change: Change, accepted: string[]): Refusal | undefined {
  if (change.consequence !== "data" && change.loses === undefined) return undefined;
  const name = change.node.node ?? change.node.id.slice(change.node.id.lastIndexOf("/") + 1);
  if (accepted.includes(name)) return undefined;
  return {
    step: change.node.id,
    consequence: "data",
    why: change.loses ?? "data on its disks would be lost",
    next: `slipway up --accept-data-loss ${name}`,
  };
}

/** A machine that this change would take away, if it is one. */
export const removedMachine = (change: Change, machines: OwnedMachine[]): OwnedMachine | undefined =>
  change.action === "remove" || change.action === "replace"
    ? machines.find(
        (machine) =>
          change.node.kind.endsWith("/machine") &&
          machine.cluster === change.node.cluster &&
          machine.node === change.node.node,
      )
    : undefined;

/** What is protected, by the file or on the hypervisor, is neither removed nor replaced. */
export function protectedStays(
  change: Change,
  machines: OwnedMachine[],
  clusters: Cluster[],
): Refusal | undefined {
  const machine = removedMachine(change, machines);
  const reason =
    machine &&
    protection(
      machine,
      clusters.find((cluster) => cluster.name === machine.cluster),
    );
  return reason && { step: change.node.id, consequence: "remove", ...reason };
}

/**
 * Why a machine is protected, if it is. A flag that the file has set is lifted when the file says so; one that
 * somebody set by hand, or that outlived its node in the file, is lifted by hand.
 */
export function protection(
  machine: OwnedMachine,
  cluster: Cluster | undefined,
): { why: string; next: string } | undefined {
  const node = cluster?.nodes.find((each) => each.name === machine.node);
  if (cluster && (node?.isProtected || (cluster.protect && !node))) {
    const { file, line } = (cluster.protect ? cluster : (node ?? cluster)).at;
    return {
      why: `${machine.node} says protect: true (${file}:${line})`,
      next: "Set protect: false and save; --yes does not override it",
    };
  }
  if (!machine.isProtected || (node && machine.isProtectedByFile)) return undefined;
  return {
    why: `machine ${machine.id} of ${machine.node} is protected in Proxmox, and the cluster file does not ask for it`,
    next: `If it may be removed, run "qm set ${machine.id} --protection 0" on ${machine.on}, then run the command again`,
  };
}

/** A disk that is to stay and cannot be taken off its machine keeps the machine. */
export function dataCannotStay(change: Change, found: RemovalBlocker[]): Refusal | undefined {
  const blocker = found.find(
    ({ machine }) => machine.cluster === change.node.cluster && machine.node === change.node.node,
  );
  if (!blocker || (change.action !== "remove" && change.action !== "replace")) return undefined;
  if (!change.node.kind.endsWith("/machine")) return undefined;
  return { step: change.node.id, consequence: "data", why: blocker.why, next: blocker.next };
}

/** A node whose machine would go: when that stays, nothing of the node goes, nor comes again. */
export const removedNode = ({ action, node }: Change): string[] =>
  action === "remove" && node.kind.endsWith("/machine") && node.node !== undefined
    ? [`${node.cluster}/${node.node}`]
    : [];
