import { schematicId, type MachineImage, machineImage, machineIso } from "../../../images/index.ts";
import {
  imageNode,
  type Graph,
  type GraphNode,
  type MachineNeeds,
  type PlacedNode,
  type StepId,
} from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import { besideFile } from "../../common/index.ts";
import { type ImageWant, isIso } from "./image-volume.ts";
import type { SchematicWant } from "./image-schematic.ts";
import type { MachineSource, MachineWant } from "../machine/machine-want.ts";

const usualImageMs = 38_000;
const usualSchematicMs = 500;

/** Discs and disks may lie in different storages of a host. */
const imageStorage = (host: ProxmoxHost, file: string): string =>
  isIso(file) ? host.proxmox.storage.isos : host.proxmox.storage.images;

/** The image on each of these hosts, and what the factory must know for it. */
export function describeImages(
  cluster: Cluster,
  hosts: ProxmoxHost[],
  image: MachineImage,
  canRegister: boolean,
): Graph {
  const build = needsRegistration(image) ? image.build : undefined;
  const registration = canRegister && build ? [schematicNode(cluster, hosts, image, build)] : [];
  const before = registration.map((node) => node.id);
  return [...registration, ...hosts.map((host) => describeImage(cluster, host, image, before))];
}

/** The plain image is there for everybody; any other must have been described to the factory once. */
export const needsRegistration = ({ build }: MachineImage): boolean =>
  build !== undefined && build.schematicId !== schematicId({});

function schematicNode(
  cluster: Cluster,
  hosts: ProxmoxHost[],
  image: MachineImage,
  build: NonNullable<MachineImage["build"]>,
): GraphNode<SchematicWant> {
  return {
    id: `${cluster.name}/image/schematic`,
    kind: "factory/schematic",
    name: `schematic ${build.schematicId.slice(0, 12)}`,
    want: {
      factory: build.factory,
      id: build.schematicId,
      schematic: build.schematic,
      images: hosts.map((host) => ({
        host: host.name,
        storage: imageStorage(host, image.fileName),
        file: image.fileName,
      })),
    },
    after: [],
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    usualMs: usualSchematicMs,
    facts: { schematic: build.schematicId.slice(0, 12) },
  };
}

const describeImage = (
  cluster: Cluster,
  host: ProxmoxHost,
  image: MachineImage,
  after: string[],
): GraphNode<ImageWant> =>
  imageNode(cluster, host, image, {
    kind: "proxmox/image",
    name: `${isIso(image.fileName) ? "ISO" : "image"} on ${host.name}`,
    want: {
      host: host.name,
      storage: imageStorage(host, image.fileName),
      file: image.fileName,
      url: image.url,
      checksum: image.checksum,
      local: image.local && besideFile(image.local, cluster.at.file),
    },
    after,
    usualMs: usualImageMs,
    facts: image.schematicId === undefined ? {} : { schematic: image.schematicId.slice(0, 12) },
  });

/** One way of making the machines of a cluster, as it stands in the graph. */
export interface BootSource {
  /** What must be there before the machines. */
  before: Graph;
  sourceOf(placed: PlacedNode<ProxmoxHost>): NodeSource;
  /** What is tidied up once they have their system. */
  afterwards(machines: GraphNode<MachineWant>[]): Graph;
}

export interface NodeSource {
  image: { storage: string; file: string };
  /** Absent: the disk is a copy of the image. */
  from?: MachineSource;
  after: StepId[];
  facts: Record<string, string | number>;
}

/** What a way is described from. */
export interface BootSourceView {
  cluster: Cluster;
  placed: PlacedNode<ProxmoxHost>[];
  /** Those on which something may be made. */
  hosts: ProxmoxHost[];
  needs: MachineNeeds;
  canRegister: boolean;
  hostNamed(name: string): ProxmoxHost;
}

/** The file of ours that the machines of a cluster come from; none when it is not ours. */
export function bootSourceImage(cluster: Cluster): MachineImage | undefined {
  const { bootSource } = cluster;
  if (bootSource.kind === "existing") return undefined;
  if (bootSource.kind !== "iso") return machineImage(cluster);
  return bootSource.volume === undefined ? machineIso(cluster) : undefined;
}
