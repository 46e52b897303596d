import { digList, digText, refOf, stampOf, type KubeObject } from "../kube/index.ts";
import type { K3sCluster, Member } from "./cluster.ts";
import type { Life } from "./life.ts";
import type { Supervisor } from "./supervisor/supervisor.ts";

/** Where kube-vip runs on this server, it may hold the shared address: one at a time, elected by a lease. */
export async function shareVip(
  life: Life,
  cluster: K3sCluster,
  supervisor: Supervisor,
  member: Member,
): Promise<never> {
  const { node, signal } = life;
  // A lease is kept through the server's own API, which needs its etcd.
  const canRenew = () => cluster.hasQuorum && cluster.memberById(member.id) !== undefined;
  for (;;) {
    const canHold = () => canRenew() && vipOn(cluster, node) !== undefined;
    await cluster.signals.until(() => canHold() && cluster.takeVip(node), signal);
    const vip = vipOn(cluster, node) ?? "";
    let close: (() => Promise<void>) | undefined;
    try {
      close = await supervisor.listen(vip);
      writeLease(cluster, node);
      await cluster.signals.until(() => !canHold(), signal);
    } finally {
      await close?.();
      // Only now may another server listen there.
      cluster.leaveVip();
    }
  }
}

/** The address that a ready pod of kube-vip on this node was told. */
function vipOn({ store }: K3sCluster, node: string): string | undefined {
  const pod = store
    .list({ apiVersion: "v1", kind: "Pod" })
    .find(
      (candidate) =>
        digText(candidate, "spec", "nodeName") === node && addressIn(candidate) !== "" && isReady(candidate),
    );
  return pod && addressIn(pod);
}

const addressIn = (pod: KubeObject): string =>
  digList(pod, "spec", "containers")
    .filter((container) => /kube-vip/.test(digText(container, "image")))
    .flatMap((container) => digList(container, "env"))
    .filter((item) => ["address", "vip_address"].includes(digText(item, "name")))
    .map((item) => digText(item, "value"))[0] ?? "";

const isReady = (pod: KubeObject): boolean =>
  digList(pod, "status", "conditions").some(
    (item) => digText(item, "type") === "Ready" && digText(item, "status") === "True",
  );

function writeLease({ store }: K3sCluster, node: string): void {
  const time = `${stampOf(store.clock.now()).slice(0, -1)}.000000Z`;
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "plndr-cp-lock", namespace: "kube-system" },
    spec: { holderIdentity: node, leaseDurationSeconds: 5, acquireTime: time, renewTime: time },
  };
  if (store.find(refOf(lease))) store.patch(refOf(lease), "merge", { spec: lease.spec });
  else store.create(lease, { fieldManager: "kube-vip" });
}
