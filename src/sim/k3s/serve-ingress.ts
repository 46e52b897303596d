import { digList, digText } from "../kube/index.ts";
import type { K3sCluster } from "./cluster.ts";
import { untilAborted, type Life } from "./life.ts";

/** While Traefik's service has this node's address, whoever was given for it answers there. */
export async function serveIngress(life: Life, cluster: K3sCluster): Promise<never> {
  const { host, node, address, signal, ingress } = life;
  if (ingress === undefined) return untilAborted(signal);
  const { store } = cluster;
  for (;;) {
    await cluster.signals.until(() => isOffered(cluster, address), signal);
    const door = await ingress({ store, host, address, node });
    try {
      await cluster.signals.until(() => !isOffered(cluster, address), signal);
    } finally {
      await door.close();
    }
  }
}

function isOffered({ store }: K3sCluster, address: string): boolean {
  const service = store.find({
    apiVersion: "v1",
    kind: "Service",
    namespace: "kube-system",
    name: "traefik",
  });
  return digList(service, "status", "loadBalancer", "ingress").some(
    (item) => digText(item, "ip") === address,
  );
}
