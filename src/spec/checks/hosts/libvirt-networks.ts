import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { isLibvirtHost } from "../../model/host-kinds.ts";
import { formatCidr, overlaps } from "../../values/ipv4.ts";
import type { Problem } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";
import { hostsOf, kindOfHosts } from "./hosts-of.ts";

/** What machines on libvirt are plugged into: said once, and such that all nodes reach each other. */
export const checkLibvirtNetworks = (fleet: FleetDraft): Problem[] =>
  fleet.clusters.flatMap((draft) => {
    const kind = kindOfHosts(fleet, draft);
    if (kind === "proxmox") return onProxmox(draft);
    return kind === "libvirt"
      ? [...unsaid(draft), ...saidTwice(draft), ...idleDhcp(draft), ...ownNetwork(fleet, draft)]
      : [];
  });

function onProxmox({ written, document, path }: ClusterDraft): Problem[] {
  if (!written.network.libvirt) return [];
  return [
    {
      code: "SPEC_NOT_ON_PROXMOX",
      what: "Hosts with Proxmox have no networks of libvirt",
      next: "Remove libvirt, and name a bridge: bridge: vmbr0",
      position: document.locateKey([...path, "network", "libvirt"]),
    },
  ];
}

function unsaid({ document, path }: ClusterDraft): Problem[] {
  // What is written wrongly is said all the same.
  const said = document.mapKeys([...path, "network"]);
  if (said.includes("bridge") || said.includes("libvirt")) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: "Nothing says what the machines are connected to",
      next: "Add bridge: br0 for a bridge of the host, or libvirt: { create: nat } for a network of its own",
      position: document.locateKey([...path, "network"]),
    },
  ];
}

function saidTwice({ written: { network }, document, path }: ClusterDraft): Problem[] {
  if (network.bridge === undefined || !network.libvirt) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "bridge and libvirt exclude each other: a NIC has one connection",
      next: "Remove one of the two",
      position: document.locateKey([...path, "network", "libvirt"]),
    },
  ];
}

function idleDhcp({ written: { network }, document, path }: ClusterDraft): Problem[] {
  if (network.libvirt?.dhcp === undefined) return [];
  const position = document.locate([...path, "network", "libvirt", "dhcp"]);
  if (network.libvirt.create === undefined) {
    return [
      {
        code: "SPEC_CHOOSE_ONE",
        what: "Addresses are reserved only in a network that is made for the cluster",
        next: "Remove dhcp, or write create: nat",
        position,
      },
    ];
  }
  if (network.libvirt.dhcp || !network.dhcp) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "The nodes would ask for their addresses, and no DHCP server would answer",
      next: "Remove dhcp: false here, or network.dhcp",
      position,
    },
  ];
}

function ownNetwork(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const { cluster, document, path } = draft;
  if (cluster.network.libvirt?.kind !== "create") return [];
  const position = document.locate([...path, "network", "libvirt", "create"]);
  const hosts = hostsOf(fleet, draft).filter(isLibvirtHost);
  const ofUser = hosts.find(({ libvirt }) => /\/session(?:\?|$)/.test(libvirt.uri));
  if (hosts.length > 1) {
    return [
      {
        code: "SPEC_NOT_ON_LIBVIRT",
        what: `A network that libvirt makes ends at its host: nodes on ${hosts.map(({ name }) => name).join(" and ")} would not reach each other`,
        next: "Name a bridge that all of them have (bridge: br0), or run the cluster on one host",
        position,
      },
    ];
  }
  if (ofUser) {
    return [
      {
        code: "SPEC_NOT_ON_LIBVIRT",
        what: `A libvirt of one user can make no networks, and host ${ofUser.name} is reached at ${ofUser.libvirt.uri}`,
        next: "Write uri: qemu:///system",
        position,
      },
    ];
  }
  return overlapping(fleet, draft);
}

/** Two such networks on one host would want the same way. */
function overlapping(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const earlier = fleet.clusters.slice(0, fleet.clusters.indexOf(draft));
  const other = earlier.find(
    ({ cluster, cidr }) =>
      cluster.network.libvirt?.kind === "create" &&
      overlaps(cidr, draft.cidr) &&
      cluster.on.some((name) => draft.cluster.on.includes(name)),
  );
  if (!other) return [];
  const position = draft.document.locate([...draft.path, "network", "cidr"]);
  const place = elsewhere(other.document.locate([...other.path, "network", "cidr"]), position);
  return [
    {
      code: "SPEC_NETWORK_OVERLAP",
      what: `The network ${formatCidr(draft.cidr)} overlaps that of cluster ${other.cluster.name} ${place}, on the same host`,
      next: "Give one of them another cidr",
      position,
    },
  ];
}
