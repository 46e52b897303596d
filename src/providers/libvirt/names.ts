import { createHash } from "node:crypto";
import { uuidV5 } from "../../lib/index.ts";

/** Ours; all UUIDs that Slipway gives come from it, so it never changes. */
const namespace = "e427a420-37d7-4b40-aead-8edd2fe5183a";

export const machineName = (cluster: string, node: string): string => `${cluster}-${node}`;

/** The same machine has the same UUID whenever and wherever it is made: libvirt then changes it instead of refusing a second one. */
export const machineUuid = (cluster: string, node: string): string =>
  uuidV5(namespace, `machine/${cluster}/${node}`);

export const networkUuid = (cluster: string, network: string): string =>
  uuidV5(namespace, `network/${cluster}/${network}`);

/** Pools carry no mark: one that we have made is known by its UUID. */
export const poolUuid = (name: string, path: string): string => uuidV5(namespace, `pool/${name}${path}`);

/** Names a card's port on Open vSwitch. */
export const portUuid = (mac: string): string => uuidV5(namespace, `port/${mac.toLowerCase()}`);

export type VolumeFormat = "raw" | "qcow2";
const endings = { raw: "img", qcow2: "qcow2" } as const;

/** Volumes carry no mark of their own: while their machine is there, its mark answers for those named after it. */
export const systemVolume = (cluster: string, node: string, format: VolumeFormat): string =>
  `${machineName(cluster, node)}.${endings[format]}`;

/** Another content is another volume: one that a machine refers to was sent to its end. */
export const seedVolume = (cluster: string, node: string, content: Buffer): string =>
  `${seedPrefix(cluster, node)}${createHash("sha256").update(content).digest("hex").slice(0, 12)}.iso`;

/** The one that carries the config of a node, and with it the keys of its cluster. */
export const configSeedVolume = (cluster: string, node: string): string =>
  `${seedPrefix(cluster, node)}config.iso`;

export const isSeedOf = (cluster: string, node: string, volume: string): boolean =>
  volume.startsWith(seedPrefix(cluster, node)) &&
  /^(?:[0-9a-f]{12}|config)\.iso$/.test(volume.slice(seedPrefix(cluster, node).length));

const seedPrefix = (cluster: string, node: string): string => `${machineName(cluster, node)}-seed-`;

export const consoleVolume = (cluster: string, node: string): string =>
  `${machineName(cluster, node)}-console.log`;

/**
 * Counted from one, in the order of the cluster file. These outlive their machines, so the name alone must say whose they
 * are: neither a cluster nor a node has a dot in its name.
 */
export const dataVolume = (cluster: string, node: string, number: number, format: VolumeFormat): string =>
  `slipway.${cluster}.${node}.data${number}.${endings[format]}`;

export interface DataVolumeName {
  cluster: string;
  node: string;
  number: number;
}

export function readDataVolume(name: string): DataVolumeName | undefined {
  const found = /^slipway\.([^.]+)\.([^.]+)\.data(\d+)\.(?:img|qcow2)$/.exec(name);
  return found ? { cluster: found[1] ?? "", node: found[2] ?? "", number: Number(found[3]) } : undefined;
}

export const isImageName = (name: string): boolean => /^slipway-(?:talos|linux)-/.test(name);

/** An empty volume beside an image that says: it was sent to its end. */
export const completeMark = (image: string): string => `${image}.complete`;
export const imageOfMark = (name: string): string => name.replace(/\.complete$/, "");

/** Seen in the guest as /dev/disk/by-id/virtio-system; virtio shows twenty characters at most. */
export const systemSerial = "system";
export const dataSerial = (number: number): string => `data-${number}`;
