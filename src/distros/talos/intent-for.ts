import { talosImage } from "../../images/index.ts";
import { hasKnownAddress, type Cluster, type Node, type Patch, talosOf } from "../../spec/index.ts";
import type { ConfigPatch } from "./config-patch.ts";
import { contractOf } from "./contract.ts";
import { patchFileMissing } from "./errors.ts";
import { clusterFor } from "./intent-for-cluster.ts";
import { networkFor } from "./intent-for-network.ts";
import { systemFor } from "./intent-for-system.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { readPatch } from "./read-patch.ts";

/** Texts of the patch files a cluster names, by the path in the cluster file. */
export type PatchFiles = ReadonlyMap<string, string>;

/**
 * What a node of the cluster file shall be. A cluster that runs already keeps its `contract`, unless the file pins
 * another: upgrading Talos alone does not change the form of its configs.
 */
export function intentFor(
  cluster: Cluster,
  node: Node,
  patchFiles: PatchFiles = new Map(),
  contract?: string,
): MachineIntent {
  const { network } = cluster;
  const distribution = talosOf(cluster);
  const settings = distribution.settings ?? {};
  const vip = node.role === "control-plane" ? network.vip : undefined;
  return {
    contract: contractOf(settings.contract ?? contract ?? distribution.version).name,
    talos: distribution.version,
    role: node.role,
    cluster: clusterFor(cluster),
    // A name of its own would win over the one that DHCP offers.
    ...(!node.isDhcp && { hostname: node.name }),
    network: networkFor(cluster, node),
    // A nocloud disk image is installed already; the disk is named for configs that are moved to other machines.
    install: {
      disk: node.talos?.installDisk ?? cluster.systemDisk ?? "/dev/sda",
      image: talosImage(distribution).installer,
    },
    certSANs:
      node.role === "control-plane" ? certificateNames(cluster, settings.certSANs ?? []) : laterNames(node),
    nodeSubnets: [network.cidr, ...(vip === undefined ? [] : [`!${vip}/${vip.includes(":") ? 128 : 32}`])],
    labels: node.labels,
    taints: node.taints,
    ...(node.annotations && { annotations: node.annotations }),
    ...systemFor(node, settings),
    patches: [...cluster.patches, ...node.patches].map((patch) => configPatch(patch, patchFiles)),
  };
}

/** The VIP, every control plane, then what the file adds: any of them may be asked under any of these. */
function certificateNames({ network, nodes }: Cluster, added: string[]): string[] {
  const controlPlanes = nodes.filter(({ role }) => role === "control-plane").map(({ address }) => address);
  return [...new Set([...(network.vip === undefined ? [] : [network.vip]), ...controlPlanes, ...added])];
}

/** A node whose address nobody knows beforehand is known by this name. */
const laterNames = (node: Node): string[] => (hasKnownAddress(node) ? [] : [node.address]);

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
