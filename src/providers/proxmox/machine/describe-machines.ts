import { given, unlessEmpty } from "../../../lib/index.ts";
import {
  archiveText,
  imageStep,
  machineNode,
  type Graph,
  type GraphNode,
  type MachineNeeds,
  type HostFacts,
  type PlacedNode,
  type Survey,
} from "../../../plan/index.ts";
import {
  hasGuests,
  machineNameOf,
  nicsOf,
  type CloneKind,
  type Cluster,
  type GuestCluster,
  type ProxmoxHost,
} from "../../../spec/index.ts";
import { hostsOf } from "../../common/index.ts";
import { keepsFiles } from "../disks/disk-format.ts";
import { isShelfVmid } from "../disks/kept-disks.ts";
import { machineTags } from "../mark.ts";
import { hasGuestAgent, vmidOf, type MachineWant } from "./machine-want.ts";
import {
  type NodeSource,
  type BootSourceView,
  type BootSource,
  describeImages,
} from "../image/describe-images.ts";
import { machineImage } from "../../../images/index.ts";
import { fromIso } from "../image/from-iso.ts";
import { fromTemplate } from "../template/from-template.ts";

const usualMachineMs = 10_000;
const usualRestoreMs = 60_000;

/** What the machines come from, the machines, and what is tidied up after them. */
export function describeMachines(
  cluster: Cluster,
  placed: PlacedNode<ProxmoxHost>[],
  options: Pick<BootSourceView, "needs" | "canRegister" | "hostNamed">,
): Graph {
  const hosts = hostsWithImage(placed, options.needs.survey);
  const bootSource = describeBootSource({ cluster, placed, hosts, ...options });
  const keepingWant = keepingWants(cluster, options.needs);
  const machines = placed.map((each) =>
    describeMachine(
      cluster,
      each,
      restored(options.needs, each, bootSource.sourceOf(each)),
      keepingWant(each),
    ),
  );
  const installed = machines.filter(({ want }) => want.from?.kind !== "archive");
  return [...bootSource.before, ...machines, ...bootSource.afterwards(installed)];
}

/** Where a machine comes from a backup, nothing else is put on its system disk. */
function restored(
  { archiveOf }: MachineNeeds,
  { node }: PlacedNode<ProxmoxHost>,
  source: NodeSource,
): NodeSource {
  const found = archiveOf?.(node.name);
  if (!found) return source;
  const from = { kind: "archive", volume: found.archive } as const;
  return { ...source, from, facts: { backup: archiveText(found) } };
}

/** All in use, but for those that only took over machines made elsewhere: nothing is made from an image there. */
function hostsWithImage(placed: PlacedNode<ProxmoxHost>[], survey: Survey): ProxmoxHost[] {
  const hosts = hostsOf(placed);
  const existing = new Set(survey.machines.map(vmidOf));
  return hosts.filter(
    (host) =>
      survey.images.some((image) => image.host === host.name) ||
      placed.some((each) => each.host === host && !existing.has(vmidOf(each))),
  );
}

/** What the machine of a node must know of disks that outlived another, or that outlive it. */
function keepingWants(
  { name }: Cluster,
  { survey, all }: MachineNeeds,
): (
  placed: PlacedNode<ProxmoxHost>,
) => Pick<MachineWant, "fileStorages" | "mayHaveKeptDisks" | "reservedVmids"> {
  const fileStoragesOn = new Map(survey.hosts.map((facts) => [facts.host, fileStoragesOf(facts)]));
  const machines = survey.machines.filter(
    ({ cluster, keptDisks }) => cluster === name && keptDisks.length > 0,
  );
  const keeping = new Set(machines.map(({ node }) => node));
  const hasHolder = survey.keptDisksHolders.some(({ cluster }) => cluster === name);
  const reserved = reservedVmids(all.flatMap(({ id }) => id ?? []));
  return ({ node, host }) => {
    const fileStorages = fileStoragesOn.get(host.name) ?? [];
    const keeps = keeping.has(node.name);
    const mayHaveKeptDisks = node.dataDisks.length > 0 && (keeps || hasHolder);
    return {
      fileStorages: unlessEmpty(fileStorages),
      mayHaveKeptDisks: mayHaveKeptDisks || undefined,
      ...(keeps && reserved),
    };
  };
}

/** Those of the numbers of a plan that kept disks might be given too. */
export function reservedVmids(vmids: number[]): Pick<MachineWant, "reservedVmids"> {
  const reserved = vmids.filter(isShelfVmid);
  return reserved.length > 0 ? { reservedVmids: reserved } : {};
}

const fileStoragesOf = ({ storages }: HostFacts): string[] =>
  storages
    .filter(({ type }) => keepsFiles(type))
    .map((storage) => storage.name)
    .toSorted();

function describeMachine(
  cluster: Cluster,
  placed: PlacedNode<ProxmoxHost>,
  { image, from, after, facts }: NodeSource,
  keeping: Partial<MachineWant>,
): GraphNode<MachineWant> {
  const { bridge, vlan } = cluster.network;
  const want = { ...machineWant(cluster, placed, image.file), ...keeping, image, from };
  return machineNode(cluster, placed, {
    kind: "proxmox/machine",
    want,
    after,
    usualMs: from?.kind === "archive" ? usualRestoreMs : usualMachineMs,
    facts: { vmid: want.vmid, ...facts, bridge, vlan },
  });
}

/** What the cluster file says about the machine of a node, in the provider's words. */
export function machineWant(cluster: Cluster, placed: PlacedNode<ProxmoxHost>, file: string): MachineWant {
  const { node, host } = placed;
  const { network, distribution } = cluster;
  const { storage, pool } = host.proxmox;
  const nics = nicsOf(cluster, node).slice(1);
  return {
    host: host.name,
    vmid: vmidOf(placed),
    cluster: cluster.name,
    node: node.name,
    ...given({ name: cluster.machineNames && machineNameOf(cluster, node.name, "{node}") }),
    role: node.role,
    cores: node.cores,
    memoryMiB: node.memoryMiB,
    diskGiB: node.diskGiB,
    dataDisks: node.dataDisks.map((disk) => ({
      sizeGiB: disk.sizeGiB,
      storage: disk.storage ?? storage.disks,
      for: disk.for,
      isDisposable: disk.isDisposable,
    })),
    storage: node.storage ?? storage.disks,
    seedStorage: storage.cloudInit,
    image: { storage: storage.images, file },
    bridge: network.bridge,
    vlan: network.vlan,
    trunks: network.trunks,
    isFirewalled: network.isFirewalled,
    mac: node.mac,
    mtu: network.mtu,
    nics: unlessEmpty(nics),
    address: node.address,
    isDhcp: node.isDhcp,
    prefix: network.prefix,
    gateway: network.gateway,
    dns: network.dns,
    tags: machineTags(cluster.name, cluster.tags),
    pool,
    hasAgent: hasGuestAgent(cluster),
    ...(hasGuests(cluster) && loginOf(cluster)),
    architecture: distribution.architecture === "arm64" ? distribution.architecture : undefined,
    isSecureBoot: distribution.isSecureBoot,
    hardware: node.hardware,
    isProtected: node.isProtected,
    insteadOf: placed.insteadOf,
  };
}

/** Who logs in on machines from cloud images; the cluster's own key is added when they are made: no plan holds it. */
const loginOf = ({ distribution, network }: GuestCluster): Pick<MachineWant, "login" | "searchDomains"> => ({
  login: {
    user: distribution.user,
    keys: distribution.keys.flatMap((key) => ("text" in key ? [key.text] : [])),
  },
  searchDomains: network.searchDomains,
});

/** The ways a machine comes into being: a copy of the image, an ISO it installs itself from, or a clone of a template. */
function describeBootSource(view: BootSourceView): BootSource {
  const { bootSource } = view.cluster;
  switch (bootSource.kind) {
    case "image":
      return fromImage(view);
    case "iso":
      return fromIso(view, bootSource.volume);
    case "template":
      return fromTemplate(view, bootSource);
    case "existing":
      return fromExisting(bootSource.vmid, bootSource.clone);
  }
}

/** The image on every host, and disks copied from it. */
function fromImage({ cluster, hosts, canRegister }: BootSourceView): BootSource {
  const image = machineImage(cluster);
  return {
    before: describeImages(cluster, hosts, image, canRegister),
    sourceOf: ({ host }) => ({
      image: { storage: host.proxmox.storage.images, file: image.fileName },
      after: [imageStep(cluster.name, host.name)],
      facts: {},
    }),
    afterwards: () => [],
  };
}

/** Clones of a template that is not ours: it is read, never changed, never removed. */
const fromExisting = (vmid: number, clone: CloneKind): BootSource => ({
  before: [],
  sourceOf: () => ({
    image: { storage: "", file: "" },
    from: { kind: "clone", template: vmid, clone, isTheirs: true },
    after: [],
    facts: { from: `clone of template ${vmid}` },
  }),
  afterwards: () => [],
});
