import { talosImage } from "../../../images/index.ts";
import {
  addonWith,
  hasKnownAddress,
  type Cluster,
  type Node,
  type Patch,
  talosOf,
} from "../../../spec/index.ts";
import {
  contractOf,
  readPatch,
  type ClusterIntent,
  type ConfigPatch,
  type MachineIntent,
} from "../config/index.ts";
import { patchFileMissing } from "../errors.ts";
import { networkFor } from "./network-for.ts";
import { systemFor } from "./system-for.ts";

/** Texts of the patch files a cluster names, by the path in the cluster file. */
export type PatchFiles = ReadonlyMap<string, string>;

/**
 * What a node of the cluster file shall be. A cluster that runs already keeps its `contract`, unless the file pins
 * another: upgrading Talos alone does not change the form of its configs.
 */
export const intentFor = (
  cluster: Cluster,
  node: Node,
  patchFiles?: PatchFiles,
  contract?: string,
): MachineIntent => intentsIn(cluster, patchFiles, contract)(node);

/** The same for any node of a cluster: what all of them share is worked out once. */
export function intentsIn(
  cluster: Cluster,
  patchFiles: PatchFiles = new Map(),
  contract?: string,
): (node: Node) => MachineIntent {
  const { network } = cluster;
  const distribution = talosOf(cluster);
  const settings = distribution.settings ?? {};
  const form = contractOf(settings.contract ?? contract ?? distribution.version).name;
  const ofAll = clusterFor(cluster);
  const installers = {
    nocloud: talosImage(distribution).installer,
    metal: talosImage(distribution, "metal").installer,
  };
  const patches = cluster.patches.map((patch) => configPatch(patch, patchFiles));
  return (node) => {
    const vip = node.role === "control-plane" ? network.vip : undefined;
    return {
      contract: form,
      talos: distribution.version,
      role: node.role,
      cluster: ofAll,
      // A name of its own would win over the one that DHCP offers.
      hostname: node.isDhcp ? undefined : node.name,
      network: networkFor(cluster, node),
      // A nocloud disk image is installed already; the disk is named for configs that are moved to other machines.
      install: {
        disk: node.machine?.disk ?? node.talos?.installDisk ?? systemDiskOf(cluster, node),
        image: installers[node.machine ? "metal" : "nocloud"],
      },
      certSANs:
        node.role === "control-plane"
          ? certificateNames(cluster, node, settings.certSANs ?? [])
          : dhcpNames(node),
      nodeSubnets: [network.cidr, ...(vip === undefined ? [] : [`!${vip}/${vip.includes(":") ? 128 : 32}`])],
      labels: node.labels,
      taints: node.taints,
      annotations: node.annotations,
      ...systemFor(node, settings),
      patches: [...patches, ...node.patches.map((patch) => configPatch(patch, patchFiles))],
    };
  };
}

const systemDiskOf = ({ systemDisk }: Cluster, node: Node): string =>
  (node.machine ? undefined : systemDisk) ?? "/dev/sda";

/** Kubernetes as all nodes of the cluster are told it. */
function clusterFor(cluster: Cluster): ClusterIntent {
  const { network, kubernetesSettings: said = {} } = cluster;
  const { discovery, kubeSpan } = talosOf(cluster).settings ?? {};
  const addon = addonWith(cluster, "connectsPods");
  const isKubeProxyOff =
    said.kubeProxy === undefined ? addon && addon.facts.replacesKubeProxy === true : !said.kubeProxy;
  return {
    name: cluster.name,
    endpoint: cluster.endpoint,
    kubernetes: cluster.kubernetes,
    dnsDomain: network.dnsDomain,
    podSubnets: network.podSubnets,
    serviceSubnets: network.serviceSubnets,
    cni: addon || said.cni === "none" ? "none" : undefined,
    isKubeProxyOff,
    // With no worker in the file the control planes have to run the workloads.
    isSchedulingOnControlPlanes:
      said.scheduleOnControlPlanes ?? cluster.nodes.every(({ role }) => role === "control-plane"),
    hasDiscovery: discovery,
    hasKubeSpan: kubeSpan,
    externalCloudProvider: said.externalCloudProvider,
    extraManifests: said.extraManifests,
    inlineManifests: said.inlineManifests,
  };
}

/**
 * The VIP, its own address, then what the file adds. Not the other control planes: every one that comes or goes would have the
 * API servers of all others start again.
 */
function certificateNames({ network }: Cluster, { address }: Node, added: string[]): string[] {
  return [...new Set([...(network.vip === undefined ? [] : [network.vip]), address, ...added])];
}

/** A node whose address is not known beforehand is known by this name. */
const dhcpNames = (node: Node): string[] => (hasKnownAddress(node) ? [] : [node.address]);

function configPatch(patch: Patch, files: PatchFiles): ConfigPatch {
  const at = `${patch.at.file}:${patch.at.line}:${patch.at.column}`;
  if ("inline" in patch) {
    const { inline } = patch;
    return typeof inline === "string" ? readPatch(inline, at) : { source: at, documents: [inline] };
  }
  const text = files.get(patch.file);
  if (text === undefined) throw patchFileMissing({ file: patch.file, at: patch.at });
  return readPatch(text, patch.file);
}
