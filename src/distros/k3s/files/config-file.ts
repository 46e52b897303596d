import { writeYaml } from "../../../lib/index.ts";
import { nicsOf, hasKnownAddress, type K3sCluster, type K3sFlag, type Node } from "../../../spec/index.ts";
import { hasFlannel, hasOtherCloud, serverSettings, type ServerSettings } from "./server-settings.ts";

/** What nodes join with, as `serverToken` and `agentToken` write them. */
export interface JoinTokens {
  token: string;
  agentToken: string;
}

type Settings = Record<string, K3sFlag | undefined>;

/**
 * config.yaml of a node: all that stays the same whether it founds, joins or comes back. Texts that YAML 1.1 would read
 * as something else are quoted.
 */
export function configFile(cluster: K3sCluster, node: Node, secrets: JoinTokens): string {
  const { serverFlags, agentFlags } = cluster.distribution.settings;
  const own = nodeSettings(cluster, node);
  if (node.role === "worker") return write(merge({ token: secrets.agentToken, ...own }, agentFlags));
  const shared: ServerSettings = serverSettings(cluster);
  const tokens = { token: secrets.token, "agent-token": passwordOf(secrets.agentToken) };
  return write(merge(merge({ ...tokens, ...shared, ...own }, agentFlags), serverFlags));
}

/** What only this node is told. */
const nodeSettings = (cluster: K3sCluster, node: Node): Settings => ({
  "node-name": node.name,
  "node-ip": hasKnownAddress(node) ? node.address : undefined,
  "flannel-iface": isFlannelUnsure(cluster, node) ? "eth0" : undefined,
  "node-label": unlessEmpty(
    Object.entries(node.labels)
      .filter(([key]) => isRegistrationLabel(key))
      .map(([key, value]) => `${key}=${value}`),
  ),
  "node-taint": unlessEmpty([...taintsOf(node), ...(isReserved(cluster, node) ? [controlPlaneTaint] : [])]),
  // Told by K3s itself only as long as it is its own.
  "kubelet-arg": hasOtherCloud(cluster) ? ["cloud-provider=external"] : undefined,
  "disable-default-registry-endpoint": isFallbackSkipped(cluster) ? true : undefined,
});

/** What a kubelet may say about itself among the names Kubernetes keeps to itself. */
const ownLabels = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);

/** Whether a node may register with this label; with any other K3s refuses to start, and only the API can set it. */
function isRegistrationLabel(key: string): boolean {
  const [prefix = ""] = key.includes("/") ? key.split("/") : [];
  const isKept = /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
  return !isKept || ownLabels.has(key) || /(^|\.)(kubelet|node)\.kubernetes\.io$/.test(prefix);
}

const controlPlaneTaint = "node-role.kubernetes.io/control-plane:NoSchedule";

/** The file has `EFFECT` or `VALUE:EFFECT` behind the key. */
const taintsOf = ({ taints }: Node): string[] =>
  Object.entries(taints).map(([key, taint]) => (taint.includes(":") ? `${key}=${taint}` : `${key}:${taint}`));

/** Servers take pods as K3s has it, unless the file says otherwise and there are agents to take them. */
const isReserved = ({ kubernetesSettings, nodes }: K3sCluster, node: Node): boolean =>
  node.role === "control-plane" &&
  kubernetesSettings?.scheduleOnControlPlanes === false &&
  nodes.some(({ role }) => role === "worker");

/** With more than one way out Flannel may take another than the node's own address; the first card is always eth0. */
const isFlannelUnsure = (cluster: K3sCluster, node: Node): boolean =>
  hasFlannel(cluster) && (nicsOf(cluster, node).length > 1 || (node.vlans?.length ?? 0) > 0);

/** K3s knows this for all registries that have mirrors, or for none. */
const isFallbackSkipped = ({ distribution: { settings } }: K3sCluster): boolean =>
  Object.values(settings.registries ?? {}).some((registry) => registry.skipFallback);

/** Servers take this text for the password itself; only those who join may write more of it. */
const passwordOf = (token: string): string => token.slice(token.lastIndexOf(":") + 1);

/** Flags of the user's own win; of lists both parts count, for ours are needed. */
function merge(ours: Settings, theirs: Record<string, K3sFlag>): Settings {
  const merged = { ...ours };
  for (const [key, value] of Object.entries(theirs)) {
    const before = merged[key];
    merged[key] = Array.isArray(before)
      ? [...new Set([...before, ...(Array.isArray(value) ? value : [String(value)])])]
      : value;
  }
  return merged;
}

const write = (settings: Settings): string => writeYaml(settings, 2);

const unlessEmpty = (list: string[]): string[] | undefined => (list.length === 0 ? undefined : list);
