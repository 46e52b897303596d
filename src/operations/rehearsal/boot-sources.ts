import { machineImage, machineIso } from "../../images/index.ts";
import {
  hasGuests,
  isProxmoxHost,
  type Cluster,
  type Fleet,
  type GuestSystem,
  type ProxmoxHost,
} from "../../spec/index.ts";

/** What the file expects to find on its hosts: ISOs and templates that Slipway did not make. */
export function rehearsalSources(fleet: Fleet) {
  const all = fleet.clusters.map((cluster) => sourcesOf(cluster, hostsOf(fleet, cluster)));
  return {
    // One template may serve several clusters.
    images: all.flatMap((each) => each.images).filter(isFirst),
    vms: Object.fromEntries(all.flatMap((each) => each.vms)),
  };
}

const isFirst = (image: Sources["images"][number], index: number, all: Sources["images"]): boolean =>
  all.findIndex((each) => each.node === image.node && each.file === image.file) === index;

const hostsOf = (fleet: Fleet, cluster: Cluster): ProxmoxHost[] =>
  fleet.hosts.filter(isProxmoxHost).filter((host) => cluster.on.includes(host.name));

/** Storages that several hosts must reach, since one template serves them all. */
export const sharedInRehearsal = (fleet: Fleet): Set<string> =>
  new Set(
    fleet.clusters
      .filter(
        (cluster) =>
          cluster.isHighlyAvailable || (cluster.bootSource.kind === "existing" && cluster.on.length > 1),
      )
      .flatMap((cluster) => hostsOf(fleet, cluster).map((host) => host.proxmox.storage.disks)),
  );

interface Sources {
  images: { storage: string; node: string; file: string; size: string; from: string }[];
  vms: [string, { node: string; config: Record<string, string | number> }][];
}

/** What a template of the user's own holds is not known; the file names its user, and that is the usual one of a system. */
const cloudImageOf = ({ user, architecture }: GuestSystem): string =>
  user === "debian"
    ? `debian-12-genericcloud-${architecture}.qcow2`
    : `noble-server-cloudimg-${architecture}.img`;

function sourcesOf(cluster: Cluster, hosts: ProxmoxHost[]): Sources {
  const { bootSource } = cluster;
  const [first] = hosts;
  if (bootSource.kind === "iso" && bootSource.volume !== undefined) {
    const [storage = "", file = ""] = bootSource.volume.split(":");
    const from = machineIso(cluster).url;
    const size = "400MiB";
    return { images: hosts.map(({ proxmox: { node } }) => ({ storage, node, file, size, from })), vms: [] };
  }
  if (bootSource.kind !== "existing" || !first) return { images: [], vms: [] };
  const { node, storage } = first.proxmox;
  const disk = `base-${bootSource.vmid}-disk-0`;
  const config = {
    name: "template",
    template: 1,
    cores: 2,
    memory: 2048,
    scsihw: "virtio-scsi-pci",
    scsi0: `${storage.disks}:${disk},size=1280M`,
    boot: "order=scsi0",
  };
  const from = hasGuests(cluster) ? cloudImageOf(cluster.distribution) : machineImage(cluster).url;
  return {
    images: [{ storage: storage.disks, node, file: disk, size: "1280MiB", from }],
    vms: [[String(bootSource.vmid), { node, config }]],
  };
}
