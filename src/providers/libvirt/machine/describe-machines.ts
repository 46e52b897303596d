import { machineImage, schematicId, schematicYaml, type MachineImage } from "../../../images/index.ts";
import {
  imageNode,
  imageStep,
  machineNode,
  type Graph,
  type GraphNode,
  type MachineNeeds,
  type PlacedNode,
  type StepId,
} from "../../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../../spec/index.ts";
import { besideFile, hostsOf } from "../../common/index.ts";
import { configSeedNode } from "../disks/config-seed.ts";
import { bootSourceUnsupported } from "../errors.ts";
import type { ImageWant } from "../image/image.ts";
import { machineWant, type MachineWant } from "./machine-want.ts";
import { describeNetwork } from "../network/network-want.ts";
import { describePool } from "../pool/pool.ts";

const usualImageMs = 38_000;
const usualMachineMs = 4_000;

/** What the machines of a cluster stand on, and the machines. */
export function describeMachines(
  cluster: Cluster,
  placed: PlacedNode<LibvirtHost>[],
  needs: Pick<MachineNeeds, "installedStep" | "seedStep" | "firstConfig">,
): Graph {
  const { kind } = cluster.bootSource;
  // A clone of the image is what a template would be for: it shares its blocks.
  if (kind !== "image" && kind !== "template") throw bootSourceUnsupported({ cluster: cluster.name, kind });
  const hosts = hostsOf(placed);
  const image = machineImage(cluster);
  const pools = hosts.flatMap((host) => describePool(cluster.name, host));
  const networks = describeNetwork(cluster, hosts);
  const idsOn = (nodes: Graph, host: LibvirtHost): StepId[] =>
    nodes.filter((node) => node.host === host.name).map((node) => node.id);
  return [
    ...pools,
    ...networks,
    ...hosts.map((host) => describeImage(cluster, host, image, idsOn(pools, host))),
    ...placed.flatMap((each): Graph => {
      const machine = describeMachine(cluster, each, image, [
        ...idsOn(networks, each.host),
        imageStep(cluster.name, each.host.name),
        ...(needs.seedStep === undefined ? [] : [needs.seedStep]),
      ]);
      if (!machine.want.hasConfigSeed) return [machine];
      const firstConfig = needs.firstConfig?.(each.node.name);
      return [
        { ...machine, want: { ...machine.want, firstConfig } },
        configSeedNode(machine, needs.installedStep(each.node.name)),
      ];
    }),
  ];
}

function describeImage(
  cluster: Cluster,
  host: LibvirtHost,
  image: MachineImage,
  after: StepId[],
): GraphNode<ImageWant> {
  const { build } = image;
  const isPlainBuild = build?.schematicId === schematicId({});
  return imageNode(cluster, host, image, {
    kind: "libvirt/image",
    name: `image on ${host.name}`,
    want: {
      host: host.name,
      storage: host.libvirt.pool.name,
      file: image.fileName,
      url: image.url,
      checksum: image.checksum,
      local: image.local && besideFile(image.local, cluster.at.file),
      schematic:
        build && !isPlainBuild
          ? { factory: build.factory, id: build.schematicId, text: schematicYaml(build.schematic) }
          : undefined,
    },
    after,
    usualMs: usualImageMs,
    facts: build ? { schematic: build.schematicId.slice(0, 12) } : {},
  });
}

function describeMachine(
  cluster: Cluster,
  placed: PlacedNode<LibvirtHost>,
  image: MachineImage,
  after: StepId[],
): GraphNode<MachineWant> {
  const want = machineWant(cluster, placed, image.fileName);
  const [nic] = want.nics;
  return machineNode(cluster, placed, {
    kind: "libvirt/machine",
    want,
    after,
    usualMs: usualMachineMs,
    facts: {
      ...(nic && { [nic.kind]: nic.source }),
      vlan: nic?.vlan,
    },
  });
}
