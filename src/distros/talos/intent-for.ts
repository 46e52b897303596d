import { talosImage } from "../../images/index.ts";
import type { Cluster, Node, Patch } from "../../spec/index.ts";
import type { ConfigPatch } from "./config-patch.ts";
import { contractOf } from "./contract.ts";
import { patchFileMissing } from "./errors.ts";
import type { MachineIntent, VolumeIntent } from "./machine-intent.ts";
import { singleLink } from "./network-intent.ts";
import { readPatch } from "./read-patch.ts";

/** Texts of the patch files a cluster names, by the path in the cluster file. */
export type PatchFiles = ReadonlyMap<string, string>;

/**
 * What a node of the cluster file shall be. A cluster that runs already keeps its `contract`: upgrading Talos
 * alone does not change the form of its configs.
 */
export function intentFor(
  cluster: Cluster,
  node: Node,
  patchFiles: PatchFiles = new Map(),
  contract?: string,
): MachineIntent {
  const { network } = cluster;
  const isControlPlane = node.role === "control-plane";
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const vip = isControlPlane ? network.vip : undefined;
  const cilium = cluster.addons.find(({ name }) => name === "cilium");
  return {
    contract: contractOf(contract ?? cluster.distribution.version).name,
    talos: cluster.distribution.version,
    role: node.role,
    cluster: {
      name: cluster.name,
      endpoint: cluster.endpoint,
      kubernetes: cluster.kubernetes,
      dnsDomain: network.dnsDomain,
      podSubnets: network.podSubnets,
      serviceSubnets: network.serviceSubnets,
      ...(cilium && { cni: "none", isKubeProxyOff: cilium.options["kubeProxyReplacement"] !== false }),
      // With no worker in the file somebody has to run the workloads.
      isSchedulingOnControlPlanes: controlPlanes.length === cluster.nodes.length,
    },
    hostname: node.name,
    network: singleLink({
      mac: node.mac,
      address: `${node.address}/${network.prefix}`,
      gateway: network.gateway,
      dns: network.dns,
      ...(vip !== undefined && { vip }),
    }),
    // A nocloud disk image is installed already; the disk is named for configs that are moved to other machines.
    install: { disk: "/dev/sda", image: talosImage(cluster.distribution).installer },
    certSANs: isControlPlane
      ? [...(vip === undefined ? [] : [vip]), ...controlPlanes.map(({ address }) => address)]
      : [],
    nodeSubnets: [network.cidr, ...(vip === undefined ? [] : [`!${vip}/${vip.includes(":") ? 128 : 32}`])],
    labels: node.labels,
    taints: node.taints,
    volumes: volumesOf(node),
    patches: [...cluster.patches, ...node.patches].map((patch) => configPatch(patch, patchFiles)),
  };
}

/** Longhorn wants a mounted disk. Disks for other ends are left raw: their owner knows what to do with them. */
const volumesOf = (node: Node): VolumeIntent[] =>
  node.dataDisks
    .map((disk, index) => ({ disk, device: `/dev/sd${String.fromCharCode(98 + index)}` }))
    .filter(({ disk }) => disk.for === "longhorn")
    .map(({ disk, device }, index) => ({
      name: index === 0 ? "longhorn" : `longhorn-${index + 1}`,
      sizeGiB: disk.sizeGiB,
      device,
    }));

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
