import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { machineNameOf } from "../../model/host-kinds.ts";
import { hasGuests } from "../../model/distribution-kinds.ts";
import type { Problem } from "../../source/problem.ts";
import { hostsOf } from "../hosts/hosts-of.ts";

/** Longer ones are host names to nobody. */
const longest = 63;

/** What hypervisors call machines: short enough, and not at odds with what a hypervisor tells its machines. */
export const checkMachineNames = (fleet: FleetDraft): Problem[] =>
  fleet.clusters.flatMap((draft) => (draft.cluster.machineNames === undefined ? [] : findings(fleet, draft)));

function findings(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const { cluster, document, path } = draft;
  const position = document.locate([...path, "machineNames"]);
  const names = cluster.nodes.map((node) => ({
    node: node.name,
    name: machineNameOf(cluster, node.name, "{node}"),
  }));
  const long = names.find(({ name }) => name.length > longest);
  if (long)
    return [
      {
        code: "SPEC_BAD_NAME",
        what: `The machine of ${long.node} would be called "${long.name}", which has ${long.name.length} characters`,
        next: `Write shorter machineNames: ${longest} characters are the most`,
        position,
      },
    ];
  // The hypervisor tells a machine its name as that of the host, and storage drivers look a node up by it.
  const [host] = hostsOf(fleet, draft).filter(({ provider }) => provider === "proxmox");
  const isOther = names.some(({ node, name }) => node !== name);
  const reader = hasGuests(cluster)
    ? "machines from cloud images take it as their host name"
    : cluster.hasCloudAccount
      ? "the cloud controller and the storage driver find the machine of a node by it"
      : undefined;
  if (!host || !isOther || reader === undefined) return [];
  return [
    {
      code: "SPEC_NOT_ON_PROXMOX",
      what: `On Proxmox a machine is called as its node here: ${reader}`,
      next: "Remove machineNames, and name the nodes: names: talos-cp-{01} of a pool",
      position,
    },
  ];
}
