import {
  digList,
  digText,
  ensure,
  refOf,
  type Controller,
  type KubeObject,
  type KubeStore,
  type Manifest,
} from "../../kube/index.ts";

/** Services that ask for an address from outside get those of all nodes that are ready. */
export const serviceLb: Controller = {
  concerns({ object, kind, type }, { store }) {
    if (kind.group !== "") return [];
    if (kind.kind === "Service") return type !== "DELETED" && isBalanced(object) ? [keyOf(object)] : [];
    if (kind.kind !== "Node") return [];
    return store.list({ apiVersion: "v1", kind: "Service" }).filter(isBalanced).map(keyOf);
  },
  run(key, { store }) {
    const [namespace = "", name = ""] = key.split("/");
    const service = store.find({ apiVersion: "v1", kind: "Service", namespace, name });
    if (service === undefined) return undefined;
    ensure(store, [daemonSetOf(service)], "k3s-cloud-controller-manager");
    const ingress = readyAddresses(store).map((ip) => ({ ip, ipMode: "VIP" }));
    if (JSON.stringify(digList(service, "status", "loadBalancer", "ingress")) !== JSON.stringify(ingress))
      store.patch(
        refOf(service),
        "merge",
        { status: { loadBalancer: { ingress } } },
        { subresource: "status", fieldManager: "k3s-cloud-controller-manager" },
      );
    return undefined;
  },
};

const isBalanced = (service: KubeObject): boolean => digText(service, "spec", "type") === "LoadBalancer";

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

const readyAddresses = (store: KubeStore): string[] =>
  store
    .list({ apiVersion: "v1", kind: "Node" })
    .filter((node) =>
      digList(node, "status", "conditions").some(
        (item) => digText(item, "type") === "Ready" && digText(item, "status") === "True",
      ),
    )
    .map((node) =>
      digText(
        digList(node, "status", "addresses").find((item) => digText(item, "type") === "InternalIP"),
        "address",
      ),
    );

function daemonSetOf({ metadata, apiVersion, kind }: KubeObject): Manifest {
  const { name = "", uid = "" } = metadata;
  const own = `svclb-${name}-${uid.slice(0, 8)}`;
  const labels = { app: own, "svccontroller.k3s.cattle.io/svcname": name };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      ...{ name: own, namespace: "kube-system", labels },
      ownerReferences: metadata.namespace === "kube-system" ? [{ apiVersion, kind, name, uid }] : undefined,
    },
    spec: {
      selector: { matchLabels: { app: own } },
      template: {
        metadata: { labels },
        spec: {
          tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists" }],
          containers: [{ name: "lb-tcp-80", image: "rancher/klipper-lb:v0.4.15" }],
        },
      },
    },
  };
}
