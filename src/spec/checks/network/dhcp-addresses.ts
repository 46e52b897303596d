import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { hasKubernetes } from "../../model/distribution-kinds.ts";
import { hasKnownAddress } from "../../model/dhcp-address.ts";
import type { Problem } from "../../source/problem.ts";

/** What must be known beforehand when the addresses of nodes are not. */
export const checkDhcpAddresses = (fleet: FleetDraft): Problem[] =>
  fleet.clusters
    .filter(({ cluster }) => cluster.nodes.some((node) => !hasKnownAddress(node)))
    .flatMap((draft) => [...ownNetwork(draft), ...endpoint(draft)]);

/** Every node is told where the cluster is before the first has an address. */
function endpoint({ cluster, written, document, path }: ClusterDraft): Problem[] {
  const [first] = cluster.nodes;
  const isSaid = written.endpoint !== undefined || cluster.network.vip !== undefined;
  if (!hasKubernetes(cluster) || isSaid || !first || hasKnownAddress(first)) return [];
  return [
    {
      code: "SPEC_ENDPOINT_UNKNOWN",
      what: `The address of ${first.name} comes from DHCP, so the address of the Kubernetes API is not known beforehand`,
      next: "Add network.vip with a free address outside the DHCP server's range, or endpoint with a name",
      position: document.locateKey([...path, "controlPlanes"]),
    },
  ];
}

function ownNetwork({ cluster, document, path }: ClusterDraft): Problem[] {
  if (cluster.network.libvirt?.kind !== "create") return [];
  return [
    {
      code: "SPEC_ADDRESS_IN_OWN_NETWORK",
      what: "In a network that Slipway makes, no other DHCP server gives addresses away",
      next: "Remove address: dhcp; with dhcp: true the nodes ask for the addresses reserved for them",
      position: document.locate([...path, "network", "libvirt"]),
    },
  ];
}
