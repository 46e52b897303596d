import { assignPodSubnet, registerNode, startKubelet, stopKubelet, type KubeStore } from "../kube/index.ts";
import type { K3sCluster, Member } from "./cluster.ts";
import type { Life } from "./life.ts";
import { bindPassword, checkPassword, ownPassword } from "./supervisor/node-password.ts";
import { etcdAnnotations, etcdFinalizer, nodeFinalizer } from "./etcd/remove-members.ts";

/** The kubelet of a node: registers it, again when somebody deletes it, and goes silent when the program ends. */
export async function runNode(life: Life, cluster: K3sCluster, member?: Member): Promise<never> {
  const { host, node, signal } = life;
  const { store } = cluster;
  await cluster.signals.until(() => cluster.apiServers.size > 0 && cluster.hasQuorum, signal);
  try {
    for (;;) {
      await host.clock.sleep(host.latencies.registerMs, signal);
      startOwnKubelet(life, cluster);
      register(life, cluster, member);
      const find = () => store.find({ apiVersion: "v1", kind: "Node", name: node });
      // A server whose member went with its Node ends, and comes back as another.
      const isMember = () => member === undefined || cluster.memberById(member.id) !== undefined;
      await cluster.signals.until(() => find() === undefined && isMember(), signal);
      // The certificate of a Node that is gone counts no more; the token still does.
      checkPassword(store, node, ownPassword(host));
    }
  } finally {
    stopKubelet(store, node);
  }
}

function startOwnKubelet({ host, node, address }: Life, { store, bootstrap }: K3sCluster): void {
  const { hardware } = host;
  const vmid = hardware?.id;
  startKubelet(store, node, {
    address,
    readyAtMs: host.clock.now() + host.latencies.readyMs,
    hasOwnNetwork: bootstrap.critical["flannel-backend"] !== "none",
    machine: vmid === undefined ? undefined : { vmid, host: hardware?.host ?? "" },
  });
}

function register(life: Life, { store, bootstrap, isAlone }: K3sCluster, member: Member | undefined): void {
  const { host, node, address, settings, version } = life;
  const isNew = store.find({ apiVersion: "v1", kind: "Node", name: node }) === undefined;
  registerNode(store, {
    ...{ name: node, address, isControlPlane: member !== undefined, kubeletVersion: version },
    osImage: fieldIn(textOf(life, "/etc/os-release"), "PRETTY_NAME") ?? "Debian GNU/Linux 12 (bookworm)",
    kernelVersion: "6.1.0-44-cloud-amd64",
    containerRuntime: "containerd://2.3.2-k3s1",
    cores: host.hardware?.cores ?? 2,
    memoryMiB: host.hardware?.memoryMiB ?? 4096,
    systemUuid: host.hardware?.uuid,
    labels: {
      "beta.kubernetes.io/instance-type": "k3s",
      "node.kubernetes.io/instance-type": "k3s",
      ...(member && { "node-role.kubernetes.io/control-plane": "true" }),
      ...(member && !isAlone && { "node-role.kubernetes.io/etcd": "true" }),
      // Later changes of the file change nothing: only a new Node gets them.
      ...(isNew && labelsOf(settings.list("node-label"))),
    },
    taints: [
      ...taintsOf(settings.list("node-taint")),
      ...(hasForeignCloud(life, bootstrap.critical) ? [uninitialized] : []),
    ],
  });
  annotate(life, store, isAlone ? undefined : member, bootstrap.critical);
  assignPodSubnet(store, node, bootstrap.critical["cluster-cidr"] ?? "10.42.0.0/16");
  bindPassword(store, node);
}

/** Stays until a cloud controller takes it away. */
const uninitialized = {
  ...{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" },
};

const hasForeignCloud = ({ settings }: Life, critical: Record<string, string>): boolean =>
  critical["disable-cloud-controller"] === "true" &&
  settings.list("kubelet-arg").includes("cloud-provider=external");

function annotate(
  { node, address, host }: Life,
  store: KubeStore,
  member: Member | undefined,
  critical: Record<string, string>,
): void {
  const annotations = {
    "k3s.io/hostname": host.hostname,
    "k3s.io/internal-ip": address,
    "alpha.kubernetes.io/provided-node-ip": address,
    ...(member && { [etcdAnnotations.name]: member.name, [etcdAnnotations.address]: member.address }),
    // A server that comes back as a new member is asked to leave no more.
    ...(member && { [etcdAnnotations.remove]: null, [etcdAnnotations.removed]: null }),
  };
  const finalizers = [nodeFinalizer, ...(member ? [etcdFinalizer] : [])];
  const hasOwnCloud = critical["disable-cloud-controller"] !== "true";
  store.patch(
    { apiVersion: "v1", kind: "Node", name: node },
    "merge",
    {
      metadata: { annotations, finalizers },
      spec: hasOwnCloud ? { providerID: `k3s://${node}` } : undefined,
    },
    { fieldManager: "k3s" },
  );
}

const textOf = ({ host }: Life, path: string): string => host.files.read(path)?.toString("utf8") ?? "";

const fieldIn = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}="?([^"\n]+)"?$`, "m").exec(text)?.[1];

const labelsOf = (items: string[]): Record<string, string> =>
  Object.fromEntries(
    items.map((item) => [item.split("=")[0] ?? "", item.split("=").slice(1).join("=")] as const),
  );

/** `key=value:Effect` or `key:Effect`. */
const taintsOf = (items: string[]) =>
  items.map((item) => {
    const [, key = "", value = "", effect = ""] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(item) ?? [];
    return { key, value: value || undefined, effect };
  });
