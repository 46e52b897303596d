import { distributionName, hasGuests, hasKubernetes, machinesKey } from "../../model/distribution-kinds.ts";
import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";
import { hostsOf, onlyLists } from "../hosts/hosts-of.ts";

/** Machines from cloud images: one system, an image to start from, and nothing that nobody would read. */
export const checkGuests = (fleet: FleetDraft): Problem[] =>
  fleet.clusters
    .filter(({ cluster }) => hasGuests(cluster))
    .flatMap((draft) => [
      ...twoSystems(draft),
      ...(onlyLists(fleet, draft) ? [] : noImage(draft)),
      ...noMachines(draft),
      ...fromIso(draft),
      ...untoldByProxmox(fleet, draft),
      ...idleFields(draft),
    ]);

const systems = ["talos", "linux", "k3s"];

function twoSystems({ cluster, document, path }: ClusterDraft): Problem[] {
  const known = [...systems, distributionName(cluster)];
  const said = document.mapKeys(path).filter((name) => known.includes(name));
  if (said.length < 2) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: `${said.join(" and ")} exclude each other: machines run one system`,
      next: "Keep talos or k3s for a Kubernetes cluster, or linux for plain machines",
      position: document.locateKey([...path, said.at(-1) ?? ""]),
    },
  ];
}

function noImage({ cluster, document, path }: ClusterDraft): Problem[] {
  const { image } = cluster.distribution;
  const isFolder = image !== undefined && "folder" in image;
  if (!isFolder && cluster.bootSource.kind === "existing") return [];
  // One that is written wrongly has been told.
  if (!isFolder && (image || document.mapKeys(path).includes("image"))) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: isFolder
        ? "A folder holds images of Talos only"
        : "Nothing says which image the machines start from",
      next: "Add image: with the url or the file of a cloud image (.qcow2 or .raw), such as Debian's genericcloud",
      position: document.locateKey([...path, isFolder ? "image" : machinesKey(cluster)]),
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

function fromIso({ cluster, document, path }: ClusterDraft): Problem[] {
  if (cluster.bootSource.kind !== "iso") return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "Only Talos installs itself from an ISO",
      next: "Leave from out to copy the image, or name a template: from: { existing: { vmid: 400 } }",
      position: document.locate([...path, "from"]),
    },
  ];
}

/** Proxmox writes the first settings of a machine itself, and knows a user, keys and addresses only. */
function untoldByProxmox(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const [host] = hostsOf(fleet, draft).filter(({ provider }) => provider === "proxmox");
  if (!host) return [];
  const at = [...draft.path, machinesKey(draft.cluster)];
  // Where Kubernetes comes, what it needs is installed over SSH.
  const untold = ["files", "commands", "timezone", ...(hasKubernetes(draft.cluster) ? [] : ["packages"])];
  return draft.document
    .mapKeys(at)
    .filter((name) => untold.includes(name))
    .map((name) => ({
      code: "SPEC_NOT_ON_PROXMOX",
      what: `"${name}" cannot be told to machines on Proxmox, and ${host.name} is one`,
      next: `Remove ${name} and put it into the image or template, or use a host with libvirt`,
      position: draft.document.locateKey([...at, name]),
    }));
}

const ofTalos = ["patches", "externalCloudProvider", "extraManifests", "inlineManifests"];
const ofCluster = [
  "kubernetes",
  "endpoint",
  "addons",
  "scheduleOnControlPlanes",
  "dependsOn",
  "registerWith",
  ...ofTalos,
];
const ofNetwork = ["vip", "cni", "kubeProxy", "podSubnets", "serviceSubnets", "dnsDomain"];
const ofPool = ["talos", "patches", "labels", "taints", "annotations"];
/** What cloud-init is not told, so that nobody believes it was. */
const untoldNetwork = ["routes", "ntp"];

type Tell = (name: string, position: Problem["position"]) => Problem;

const forKubernetes: Tell = (name, position) => ({
  code: "SPEC_NOT_ON_LINUX",
  what: `"${name}" is for Kubernetes, and plain Linux machines run none`,
  next: `Remove ${name}, or linux`,
  position,
});

const forTalos: Tell = (name, position) => ({
  code: "SPEC_NOT_ON_K3S",
  what: `"${name}" is for Talos, and K3s has no use for it`,
  next: idleOnK3s[name] ?? `Remove ${name}`,
  position,
});

const idleOnK3s: Record<string, string> = {
  kubernetes: "Remove it: the version of K3s says which Kubernetes it is",
  inlineManifests: "Use addons: [{ manifest: { name: …, file: … } }]",
  extraManifests: "Use addons: [{ manifest: { name: …, url: … } }]",
  externalCloudProvider:
    'Write k3s: { serverFlags: { "disable-cloud-controller": true } } and bring your own',
  annotations: "Remove annotations: K3s gives nodes labels and taints only",
};

const untold: Tell = (name, position) => ({
  code: "SPEC_NOT_ON_LINUX",
  what: `"${name}" is not told to machines from cloud images in this version`,
  next: `Remove ${name}, and put its settings into the image`,
  position,
});

/** Fields that nobody would read are refused, instead of being forgotten silently. */
function idleFields({ cluster, pools, document, path }: ClusterDraft): Problem[] {
  const said = (at: Path, names: string[], tell: Tell): Problem[] =>
    document
      .mapKeys(at)
      .filter((name) => names.includes(name))
      .map((name) => tell(name, document.locateKey([...at, name])));
  const isPlain = !hasKubernetes(cluster);
  const network = [...path, "network"];
  return [
    ...(isPlain
      ? [
          ...said(path, ofCluster, forKubernetes),
          ...said([...path, "rollout"], ["drain", "gates"], forKubernetes),
          ...said(network, ofNetwork, forKubernetes),
        ]
      : said(path, ["kubernetes", ...ofTalos], forTalos)),
    ...said(network, isPlain ? [...untoldNetwork, "hosts"] : untoldNetwork, untold),
    ...pools.flatMap((pool) =>
      [pool.path, ...Object.keys(pool.written.nodes).map((name) => [...pool.path, "nodes", name])].flatMap(
        (at) => [
          ...(isPlain
            ? said(at, ofPool, forKubernetes)
            : said(at, ["talos", "patches", "annotations"], forTalos)),
          ...said(at, ["vlans"], untold),
        ],
      ),
    ),
  ];
}
