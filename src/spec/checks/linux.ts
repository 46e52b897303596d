import { isLinux } from "../distribution-kinds.ts";
import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";
import type { Path } from "../text-places.ts";
import { hostsOf } from "./kinds-of-hosts.ts";

/** Plain machines: from an image of the user's own, and with nothing that only Kubernetes or Talos would read. */
export const checkLinux = (fleet: FleetDraft): Problem[] =>
  fleet.clusters
    .filter(({ cluster }) => isLinux(cluster))
    .flatMap((draft) => [
      ...twoSystems(draft),
      ...noImage(draft),
      ...noMachines(draft),
      ...onProxmox(fleet, draft),
      ...idleFields(draft),
    ]);

function twoSystems({ document, path }: ClusterDraft): Problem[] {
  if (!document.mapKeys(path).includes("talos")) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "talos and linux exclude each other: machines run one system",
      next: "Remove talos for plain machines, or linux for a Kubernetes cluster",
      position: document.locateKey([...path, "linux"]),
    },
  ];
}

function noImage({ cluster, document, path }: ClusterDraft): Problem[] {
  const { image } = cluster.distribution;
  const isFolder = image !== undefined && "folder" in image;
  // One that is written wrongly has been told.
  if (!isFolder && (image || document.mapKeys(path).includes("image"))) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: isFolder
        ? "A folder holds images of Talos only"
        : "Nothing says which image the machines start from",
      next: "Add image: with the url or the file of a cloud image (.qcow2 or .raw), such as Debian's genericcloud",
      position: document.locateKey([...path, isFolder ? "image" : "linux"]),
    },
  ];
}

function noMachines({ cluster, document, path }: ClusterDraft): Problem[] {
  if (cluster.nodes.length > 0) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: `"${cluster.name}" has no machines`,
      next: "Add workers: { count: 2 }, or pools by name: workers: { web: { count: 2, address: .21 } }",
      position: document.locateKey(path),
    },
  ];
}

function onProxmox(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const [host] = hostsOf(fleet, draft).filter(({ provider }) => provider === "proxmox");
  if (!host) return [];
  return [
    {
      code: "SPEC_NOT_ON_PROXMOX",
      what: `Plain Linux machines are made on libvirt only in this version; ${host.name} is Proxmox`,
      next: "Name a host with libvirt under on, or use talos on this one",
      position: draft.document.locateKey([...draft.path, "linux"]),
    },
  ];
}

const ofCluster = [
  "kubernetes",
  "endpoint",
  "addons",
  "patches",
  "scheduleOnControlPlanes",
  "externalCloudProvider",
  "extraManifests",
  "inlineManifests",
];
const ofNetwork = ["vip", "cni", "kubeProxy", "podSubnets", "serviceSubnets", "dnsDomain"];
const ofPool = ["talos", "patches", "labels", "taints", "annotations"];
/** What cloud-init is not told, so that nobody believes it was. */
const untoldNetwork = ["routes", "ntp", "hosts"];

type Tell = (name: string, position: Problem["position"]) => Problem;

const forKubernetes: Tell = (name, position) => ({
  code: "SPEC_NOT_ON_LINUX",
  what: `"${name}" is for Kubernetes, and plain Linux machines run none`,
  next: `Remove ${name}, or linux`,
  position,
});

const untold: Tell = (name, position) => ({
  code: "SPEC_NOT_ON_LINUX",
  what: `"${name}" is not told to plain Linux machines in this version`,
  next: `Remove ${name}, and write its settings with linux: { files: … }`,
  position,
});

/** Fields that nobody would read are refused, instead of being forgotten silently. */
function idleFields({ pools, document, path }: ClusterDraft): Problem[] {
  const said = (at: Path, names: string[], tell: Tell): Problem[] =>
    document
      .mapKeys(at)
      .filter((name) => names.includes(name))
      .map((name) => tell(name, document.locateKey([...at, name])));
  return [
    ...said(path, ofCluster, forKubernetes),
    ...said([...path, "network"], ofNetwork, forKubernetes),
    ...said([...path, "network"], untoldNetwork, untold),
    ...pools.flatMap((pool) =>
      [pool.path, ...Object.keys(pool.written.nodes).map((name) => [...pool.path, "nodes", name])].flatMap(
        (at) => [...said(at, ofPool, forKubernetes), ...said(at, ["vlans"], untold)],
      ),
    ),
  ];
}
