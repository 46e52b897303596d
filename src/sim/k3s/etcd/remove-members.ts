import { refOf, type KubeObject } from "../../kube/index.ts";
import type { K3sCluster } from "../cluster.ts";
import type { Journal } from "../journal.ts";

export const nodeFinalizer = "wrangler.cattle.io/node";
export const etcdFinalizer = "wrangler.cattle.io/managed-etcd-controller";
export const etcdAnnotations = {
  name: "etcd.k3s.cattle.io/node-name",
  address: "etcd.k3s.cattle.io/node-address",
  remove: "etcd.k3s.cattle.io/remove",
  removed: "etcd.k3s.cattle.io/removed-node-name",
} as const;

/** Takes members out of etcd whose Node is deleted or asked to go, and lets deleted Nodes go after that. */
export function removeMembers(cluster: K3sCluster, journal: Journal): void {
  for (const node of cluster.store.list({ apiVersion: "v1", kind: "Node" })) {
    const annotations = node.metadata.annotations ?? {};
    if (node.metadata.deletionTimestamp !== undefined) letGo(cluster, node, journal);
    else if (annotations[etcdAnnotations.remove]?.toLowerCase() === "true" && isMember(cluster, node))
      removeOnRequest(cluster, node, journal);
  }
}

const memberOf = (cluster: K3sCluster, node: KubeObject) =>
  cluster.members.find((member) => member.name === node.metadata.annotations?.[etcdAnnotations.name]);

const isMember = (cluster: K3sCluster, node: KubeObject): boolean => memberOf(cluster, node) !== undefined;

function letGo(cluster: K3sCluster, node: KubeObject, journal: Journal): void {
  const finalizers = node.metadata.finalizers ?? [];
  const isServer = finalizers.includes(etcdFinalizer);
  if (isServer && !removePeer(cluster, node, journal, "due to node delete")) return;
  const left = finalizers.filter((name) => name !== nodeFinalizer && name !== etcdFinalizer);
  if (left.length === finalizers.length) return;
  cluster.store.patch(refOf(node), "merge", { metadata: { finalizers: left.length > 0 ? left : null } });
}

function removeOnRequest(cluster: K3sCluster, node: KubeObject, journal: Journal): void {
  const name = node.metadata.annotations?.[etcdAnnotations.name];
  const isRemoved = removePeer(cluster, node, journal, "due to remove annotation");
  const annotations = isRemoved
    ? { [etcdAnnotations.removed]: name, [etcdAnnotations.name]: null, [etcdAnnotations.address]: null }
    : { [etcdAnnotations.remove]: null };
  cluster.store.patch(refOf(node), "merge", { metadata: { annotations } }, { fieldManager: "k3s" });
}

const rejected =
  "etcd member removal rejected, clearing remove annotation: etcdserver: re-configuration failed due to not enough started members";

/** False when etcd refuses: the only member cannot go, nor one without which no majority runs. */
function removePeer(cluster: K3sCluster, node: KubeObject, journal: Journal, why: string): boolean {
  const member = memberOf(cluster, node);
  if (member === undefined) return true;
  const voters = cluster.voters().filter((voter) => voter.id !== member.id);
  const running = cluster.runningVoters().filter((voter) => voter.id !== member.id);
  if (voters.length === 0 || running.length * 2 <= voters.length) {
    if (!cluster.unremovable.has(member.id)) journal.error(rejected);
    cluster.unremovable.add(member.id);
    return false;
  }
  const { name, address } = member;
  journal.info(`Removing etcd member from cluster ${why}`, { address, name });
  journal.info(`Removing name=${name} id=${BigInt(`0x${member.id}`)} address=${address} from etcd`);
  cluster.removeMember(member.id);
  return true;
}
