import type { AddonKind } from "../addons/index.ts";
import type { FleetDraft } from "../complete/draft.ts";
import type { Problem } from "../source/problem.ts";
import { addonWarnings } from "./addons/warnings.ts";
import { clusterWarnings } from "./clusters/warnings.ts";
import { isProxmoxHost } from "../model/host-kinds.ts";

/** What is allowed but should not go unsaid. */
export function findWarnings(fleet: FleetDraft, addons: readonly AddonKind[]): Problem[] {
  return [
    ...insecureHosts(fleet),
    ...uncheckedImages(fleet),
    ...lonelyEndpoints(fleet),
    ...podCapacity(fleet),
    ...clusterWarnings(fleet),
    ...addonWarnings(fleet, addons),
  ];
}

function insecureHosts({ hosts }: FleetDraft): Problem[] {
  return hosts
    .filter(({ host }) => isProxmoxHost(host) && "insecure" in host.proxmox.tls)
    .map(({ host, document, path }) => ({
      code: "SPEC_TLS_INSECURE",
      what: `An attacker may pose as host "${host.name}" and take its token`,
      next: 'Write tls: { fingerprint: … } instead; "pvenode cert info" on the host shows it',
      position: document.locate([...path, "proxmox", "tls", "insecure"]),
    }));
}

/** Whoever sits between could hand the hosts another system. */
function uncheckedImages({ clusters }: FleetDraft): Problem[] {
  return clusters
    .filter(({ written: { image } }) => /^http:/i.test(image?.url ?? "") && image?.checksum === undefined)
    .map(({ cluster, document, path }) => ({
      code: "SPEC_IMAGE_UNCHECKED",
      what: `An attacker on the way may put another system into the machines of "${cluster.name}"`,
      next: "Write an https:// address, or add a checksum: sha256:… to the image",
      position: document.locate([...path, "image", "url"]),
    }));
}

/** Several control planes, but one address: losing that one loses the API. */
function lonelyEndpoints({ clusters }: FleetDraft): Problem[] {
  return clusters
    .filter(({ cluster, written }) => {
      const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane").length;
      return controlPlanes > 1 && cluster.network.vip === undefined && written.endpoint === undefined;
    })
    .map(({ cluster, document, path }) => ({
      code: "SPEC_NO_VIP",
      what: `The API of "${cluster.name}" is reached through ${cluster.nodes[0]?.name ?? "one node"} alone`,
      next: "Add a vip: to network:, an address that moves to a healthy control plane",
      position: document.locateKey([...path, "network"]),
    }));
}

/** Kubernetes gives each node a /24 of the pods' network. */
function podCapacity({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap(({ cluster, written, document, path }): Problem[] => {
    const room = written.network.podSubnets.reduce((sum, each) => sum + 2 ** (24 - each.prefix), 0);
    if (cluster.nodes.length <= room) return [];
    return [
      {
        code: "SPEC_POD_ROOM",
        what: `The pods' network is large enough for ${room} nodes, "${cluster.name}" has ${cluster.nodes.length}`,
        next: "Give podSubnets a larger network, like [10.128.0.0/12]",
        position: document.locate([...path, "network", "podSubnets"]),
      },
    ];
  });
}
