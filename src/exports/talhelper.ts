import { schematicYaml, type Schematic } from "../images/index.ts";
import { writeYaml, type YamlValue } from "../lib/index.ts";
import { networkInterface, type TalhelperLink } from "./talhelper-links.ts";

export type { TalhelperLink } from "./talhelper-links.ts";

/** What talhelper needs to know of a cluster. Versions stand without a leading v. */
export interface TalhelperCluster {
  name: string;
  endpoint: string;
  talos: string;
  kubernetes: string;
  dnsDomain?: string | undefined;
  podSubnets?: string[] | undefined;
  serviceSubnets?: string[] | undefined;
  hasOwnCni?: boolean | undefined;
  isSchedulingOnControlPlanes?: boolean | undefined;
  /** Names and addresses in the certificates of the control planes. */
  certSANs: string[];
  /** The installer image without its version. */
  installer: string;
  /** What the installer was built from; absent for an image of the user's own. */
  schematic?: Schematic | undefined;
  architecture: string;
  isSecureBoot?: boolean | undefined;
  factory: string;
  /** For every node, as text. */
  patches: string[];
  nodes: TalhelperNode[];
}

export interface TalhelperNode {
  name: string;
  address: string;
  isControlPlane: boolean;
  /** Its name is the one that DHCP offers. */
  hasForeignName: boolean;
  installDisk: string | { [key: string]: YamlValue };
  links: TalhelperLink[];
  nameservers: string[];
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: Record<string, string>;
  patches: string[];
}

/** The talconfig.yaml of a cluster, after talhelper's published schema. */
export function talconfig(cluster: TalhelperCluster): string {
  return writeYaml(
    {
      clusterName: cluster.name,
      talosVersion: `v${cluster.talos}`,
      kubernetesVersion: `v${cluster.kubernetes}`,
      endpoint: cluster.endpoint,
      domain: cluster.dnsDomain,
      allowSchedulingOnControlPlanes: cluster.isSchedulingOnControlPlanes ?? false,
      additionalMachineCertSans: filled(cluster.certSANs),
      additionalApiServerCertSans: filled(cluster.certSANs),
      clusterPodNets: filled(cluster.podSubnets),
      clusterSvcNets: filled(cluster.serviceSubnets),
      cniConfig: cluster.hasOwnCni ? { name: "none" } : undefined,
      imageFactory: imageFactory(cluster),
      patches: filled(cluster.patches),
      nodes: cluster.nodes.map((node) => nodeEntry(cluster, node)),
    },
    2,
  );
}

function nodeEntry(cluster: TalhelperCluster, node: TalhelperNode): YamlValue {
  return {
    hostname: node.name,
    ipAddress: node.address,
    controlPlane: node.isControlPlane,
    ...(typeof node.installDisk === "string"
      ? { installDisk: node.installDisk }
      : { installDiskSelector: node.installDisk }),
    ignoreHostname: node.hasForeignName ? true : undefined,
    // Slipway's images have their platform's installer; talhelper alone would take the one for metal.
    talosImageURL: cluster.installer,
    machineSpec: {
      mode: "nocloud",
      arch: cluster.architecture,
      secureboot: cluster.isSecureBoot ? true : undefined,
    },
    schematic: cluster.schematic && customization(cluster.schematic),
    nameservers: filled(node.nameservers),
    // Otherwise talhelper invents a search domain.
    disableSearchDomain: true,
    networkInterfaces: filled(node.links.map(networkInterface)),
    nodeLabels: filledMap(node.labels),
    nodeAnnotations: filledMap(node.annotations),
    nodeTaints: filledMap(node.taints),
    patches: filled(node.patches),
  };
}

/** Only what the factory hashes; an empty schematic says nothing and is left out. */
function customization(schematic: Schematic): YamlValue {
  if (schematicYaml(schematic) === schematicYaml({})) return undefined;
  return {
    customization: {
      extraKernelArgs: filled(schematic.extraKernelArgs),
      systemExtensions: schematic.officialExtensions?.length
        ? { officialExtensions: schematic.officialExtensions }
        : undefined,
    },
  };
}

function imageFactory({ factory }: TalhelperCluster): YamlValue {
  const url = new URL(factory);
  if (url.host === "factory.talos.dev") return undefined;
  return { registryURL: url.host, protocol: url.protocol.replace(":", "") };
}

const filled = <T extends YamlValue>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list?.length ? list : undefined;

const filledMap = (map: Record<string, string>): Record<string, string> | undefined =>
  Object.keys(map).length > 0 ? map : undefined;
