import path from "node:path";
import { schematicId, type LocalImage, type MachineImage } from "../../images/index.ts";
import type { Graph, GraphNode, StepId } from "../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../spec/index.ts";
import type { ImageWant } from "./image.ts";
import { isIso } from "./image-volume.ts";
import type { SchematicWant } from "./image-schematic.ts";

const usualImageMs = 38_000;
const usualSchematicMs = 500;

export const imageStep = (cluster: string, host: string): StepId => `${cluster}/image/${host}`;

/** Discs and disks may lie in different storages of a host. */
export const imageStorage = (host: ProxmoxHost, file: string): string =>
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
  return [...registration, ...hosts.map((host) => imageNode(cluster, host, image, before))];
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

function imageNode(
  cluster: Cluster,
  host: ProxmoxHost,
  image: MachineImage,
  after: string[],
): GraphNode<ImageWant> {
  return {
    id: imageStep(cluster.name, host.name),
    kind: "proxmox/image",
    name: `${isIso(image.fileName) ? "ISO" : "image"} on ${host.name}`,
    want: {
      host: host.name,
      storage: imageStorage(host, image.fileName),
      file: image.fileName,
      url: image.url,
      ...(image.checksum && { checksum: image.checksum }),
      ...(image.local && { local: besideFile(image.local, cluster.at.file) }),
    },
    after,
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    host: host.name,
    usualMs: usualImageMs,
    facts: {
      image: image.title,
      ...(image.schematicId !== undefined && { schematic: image.schematicId.slice(0, 12) }),
    },
  };
}

/** What the cluster file names stands relative to it. */
export function besideFile(local: LocalImage, clusterFile: string): LocalImage {
  const base = path.dirname(clusterFile);
  return "file" in local
    ? { file: path.resolve(base, local.file) }
    : { ...local, folder: path.resolve(base, local.folder) };
}
