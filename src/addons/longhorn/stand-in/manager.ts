import {
  ensure,
  hasCondition,
  isServed,
  type KubeStore,
  type Manifest,
  operating,
  refOf,
  stampOf,
  workloadOf,
} from "../../../sim/kube/index.ts";

const namespace = "longhorn-system";
const apiVersion = "longhorn.io/v1beta2";

const place = (name: string) => ({ name, namespace });

const csiParts: Manifest[] = [
  workloadOf("DaemonSet", place("longhorn-csi-plugin"), "longhornio/longhorn-manager:v1.12.1"),
  ...["attacher", "provisioner", "resizer", "snapshotter"].map((part) =>
    workloadOf("Deployment", place(`csi-${part}`), `longhornio/csi-${part}:v6`, 3),
  ),
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: "driver.longhorn.io" },
    spec: { attachRequired: true, podInfoOnMount: true },
  },
];

/** Makes the parts that Kubernetes talks to, after its chart is long installed. */
export const longhornDeployer = operating({
  namespace,
  workload: "longhorn-driver-deployer",
  watches: [],
  work: ({ store }) => ensure(store, csiParts, "longhorn-driver-deployer"),
});

/** Takes those parts away again, if somebody has confirmed that all data may go. False where nobody has. */
export function uninstallLonghorn(store: KubeStore): boolean {
  const flag = { apiVersion, kind: "Setting", ...place("deleting-confirmation-flag") };
  const setting = isServed(store, apiVersion, "Setting") ? store.find(flag) : undefined;
  if (setting && setting["value"] !== "true") return false;
  for (const part of csiParts) {
    const ref = { apiVersion: part.apiVersion, kind: part.kind, name: "", ...part.metadata };
    const found = store.find(ref);
    if (found && found.metadata.deletionTimestamp === undefined) store.delete(refOf(found));
  }
  return true;
}

/** Looks at the disks of every node it runs on, and keeps its settings. */
export const longhornManager = operating({
  namespace,
  workload: "longhorn-manager",
  watches: ["Node", "CustomResourceDefinition"],
  work({ store }) {
    if (!isServed(store, apiVersion, "Node") || !isServed(store, apiVersion, "Setting")) return;
    const lastTransitionTime = stampOf(store.clock.now());
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: "",
      message: "",
      lastTransitionTime,
    });
    const nodes = store.list({ apiVersion: "v1", kind: "Node" }).map((node) => node.metadata.name ?? "");
    ensure(
      store,
      [
        ...nodes.map((name) => ({
          apiVersion,
          kind: "Node",
          metadata: { name, namespace },
          spec: { allowScheduling: true },
        })),
        {
          apiVersion,
          kind: "Setting",
          metadata: { name: "deleting-confirmation-flag", namespace },
          value: "false",
        },
      ],
      "longhorn-manager",
    );
    for (const node of store.list({ apiVersion, kind: "Node" })) {
      if (hasCondition(node, "Ready")) continue;
      const status = { conditions: [condition("Ready"), condition("Schedulable")] };
      store.patch(refOf(node), "merge", { status }, { subresource: "status" });
    }
  },
});
