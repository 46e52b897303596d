import { talosImage, talosIso } from "../images/index.ts";
import { isProxmoxHost, type Cluster, type Fleet, type ProxmoxHost, talosOf } from "../spec/index.ts";

/** What the file expects to find on its hosts: ISOs and templates that somebody else has put there. */
export function rehearsalSources(fleet: Fleet) {
  const all = fleet.clusters.map((cluster) => sourcesOf(cluster, hostsOf(fleet, cluster)));
  return {
    images: all.flatMap((each) => each.images),
    vms: Object.fromEntries(all.flatMap((each) => each.vms)),
  };
}

const hostsOf = (fleet: Fleet, cluster: Cluster): ProxmoxHost[] =>
  fleet.hosts.filter(isProxmoxHost).filter((host) => cluster.on.includes(host.name));

/** Storages that several hosts must reach, since one template serves them all. */
export const sharedInRehearsal = (fleet: Fleet): Set<string> =>
  new Set(
    fleet.clusters
      .filter(
        (cluster) =>
          cluster.isHighlyAvailable || (cluster.origin.kind === "existing" && cluster.on.length > 1),
      )
      .flatMap((cluster) => hostsOf(fleet, cluster).map((host) => host.proxmox.storage.disks)),
  );

interface Sources {
  images: { storage: string; node: string; file: string; size: string; from: string }[];
  vms: [string, { node: string; config: Record<string, string | number> }][];
}

function sourcesOf(cluster: Cluster, hosts: ProxmoxHost[]): Sources {
  const { origin } = cluster;
  const distribution = talosOf(cluster);
  const [first] = hosts;
  if (origin.kind === "iso" && origin.volume !== undefined) {
    const [storage = "", file = ""] = origin.volume.split(":");
    const from = talosIso(distribution).url;
    const size = "400MiB";
    return { images: hosts.map(({ proxmox: { node } }) => ({ storage, node, file, size, from })), vms: [] };
  }
  if (origin.kind !== "existing" || !first) return { images: [], vms: [] };
  const { node, storage } = first.proxmox;
  const disk = `base-${origin.vmid}-disk-0`;
  const config = {
    name: "template",
    template: 1,
    cores: 2,
    memory: 2048,
    scsihw: "virtio-scsi-pci",
    scsi0: `${storage.disks}:${disk},size=1280M`,
    boot: "order=scsi0",
  };
  const from = talosImage(distribution).url;
  return {
    images: [{ storage: storage.disks, node, file: disk, size: "1280MiB", from }],
    vms: [[String(origin.vmid), { node, config }]],
  };
}
