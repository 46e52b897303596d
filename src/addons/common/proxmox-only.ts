import {
  type AddonDraft,
  addonDrafts,
  type ClusterDraft,
  type FleetDraft,
  isProxmoxHost,
  type Problem,
} from "../../spec/index.ts";

/** The cloud controller finds no machine on other hosts, and their nodes would stay tainted for ever. */
export function needsProxmox(
  { addon, place }: AddonDraft,
  { cluster }: ClusterDraft,
  { hosts }: FleetDraft,
): Problem[] {
  const other = hosts.find(({ host }) => cluster.on.includes(host.name) && !isProxmoxHost(host));
  if (!other) return [];
  return [
    {
      code: "SPEC_ADDON_NEEDS_PROXMOX",
      what: `Add-on "${addon.name}" works on Proxmox only, and host "${other.host.name}" runs libvirt`,
      next: "Take the add-on out, or run the cluster on Proxmox hosts alone",
      position: place(),
    },
  ];
}

/** The cloud controller looks for a machine whose name begins with that of the node. Said once, also where another brings it. */
export function namesByDhcp({ addon, place }: AddonDraft, draft: ClusterDraft): Problem[] {
  const node = draft.cluster.nodes.find((each) => each.isDhcp);
  const isSaid = addonDrafts(draft).some((other) => other.addon.facts.isCloudController);
  if (!node || (isSaid && !addon.facts.isCloudController)) return [];
  return [
    {
      code: "SPEC_NODE_NAMES",
      what: "The cloud controller finds machines by the names of nodes, which DHCP gives here",
      next: `See that DHCP calls each node as its machine, like ${node.name}`,
      position: place(),
    },
  ];
}
