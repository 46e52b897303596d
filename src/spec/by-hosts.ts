import { hasGuests } from "./distribution-kinds.ts";
import type { ClusterDraft, HostDraft } from "./draft.ts";
import { isLibvirtHost, isProxmoxHost } from "./host-kinds.ts";
import type { Cluster } from "./model.ts";

/** What a cluster is like because of the hosts it runs on. */
export function shapedByHosts(draft: ClusterDraft, hosts: HostDraft[]): ClusterDraft {
  const own = hosts.map(({ host }) => host).filter(({ name }) => draft.cluster.on.includes(name));
  if (own.length === 0) return draft;
  const shape: Partial<Cluster> = {
    // Disks are called otherwise on libvirt, where they are plugged in as virtio disks.
    ...(own.every(isLibvirtHost) && { systemDisk: "/dev/vda" }),
    // Proxmox hands no host keys to its machines.
    ...(hasGuests(draft.cluster) && own.some(isProxmoxHost) && { isTrustedAtFirstContact: true }),
  };
  return { ...draft, cluster: { ...draft.cluster, ...shape } };
}
