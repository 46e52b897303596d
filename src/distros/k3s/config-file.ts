import { writeYaml } from "../../lib/index.ts";
import { cardsOf, hasKnownAddress, type K3sCluster, type K3sFlag, type Node } from "../../spec/index.ts";
import { isRegistrationLabel } from "./registration-labels.ts";
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

const controlPlaneTaint = "node-role.kubernetes.io/control-plane:NoSchedule";

/** The file has `EFFECT` or `VALUE:EFFECT` behind the key. */
const taintsOf = ({ taints }: Node): string[] =>
  Object.entries(taints).map(([key, taint]) => (taint.includes(":") ? `${key}=${taint}` : `${key}:${taint}`));

/** Servers take pods as K3s has it, unless the file says otherwise and somebody else is there to take them. */
const isReserved = ({ kubernetesSettings, nodes }: K3sCluster, node: Node): boolean =>
  node.role === "control-plane" &&
  kubernetesSettings?.isSchedulingOnControlPlanes === false &&
  nodes.some(({ role }) => role === "worker");

/** With more than one way out Flannel may take another than the node's own address; the first card is always eth0. */
const isFlannelUnsure = (cluster: K3sCluster, node: Node): boolean =>
  hasFlannel(cluster) && (cardsOf(cluster, node).length > 1 || (node.vlans?.length ?? 0) > 0);

/** K3s knows this for all registries that have mirrors, or for none. */
const isFallbackSkipped = ({ distribution: { settings } }: K3sCluster): boolean =>
  Object.values(settings.registries ?? {}).some((registry) => registry.isFallbackSkipped);

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
