import type { ClusterDraft, HostDraft } from "./draft.ts";
import { isLibvirtHost } from "./host-kinds.ts";

/** Disks are called otherwise on libvirt, where they are plugged in as virtio disks. */
export function withSystemDisk(draft: ClusterDraft, hosts: HostDraft[]): ClusterDraft {
  const own = hosts.map(({ host }) => host).filter(({ name }) => draft.cluster.on.includes(name));
  if (own.length === 0 || !own.every(isLibvirtHost)) return draft;
  return { ...draft, cluster: { ...draft.cluster, systemDisk: "/dev/vda" } };
}
