import { uuidV5 } from "../../lib/index.ts";

/** Ours; all UUIDs that Slipway gives come from it, so it never changes. */
const namespace = "e427a420-37d7-4b40-aead-8edd2fe5183a";

export const machineName = (cluster: string, node: string): string => `${cluster}-${node}`;

/** The same machine has the same UUID whenever and wherever it is made: libvirt then changes it instead of refusing a second one. */
export const machineUuid = (cluster: string, node: string): string =>
  uuidV5(namespace, `machine/${cluster}/${node}`);

export const networkUuid = (cluster: string, network: string): string =>
  uuidV5(namespace, `network/${cluster}/${network}`);

/** Names a card's port on Open vSwitch. */
export const portUuid = (mac: string): string => uuidV5(namespace, `port/${mac.toLowerCase()}`);

/** Volumes carry no mark of their own: their names say whose they are. */
export const systemVolume = (cluster: string, node: string, format: "raw" | "qcow2"): string =>
  `${machineName(cluster, node)}.${endings[format]}`;

/** Counted from one, in the order of the cluster file. */
export const dataVolume = (cluster: string, node: string, number: number, format: "raw" | "qcow2"): string =>
  `${machineName(cluster, node)}-data${number}.${endings[format]}`;

export const seedVolume = (cluster: string, node: string): string => `${machineName(cluster, node)}-seed.iso`;

const endings = { raw: "img", qcow2: "qcow2" } as const;

/** Seen in the guest as /dev/disk/by-id/virtio-system; virtio shows twenty characters at most. */
export const systemSerial = "system";
export const dataSerial = (number: number): string => `data-${number}`;
