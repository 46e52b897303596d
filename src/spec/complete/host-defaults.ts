import { hasGuests } from "../model/distribution-kinds.ts";
import type { ClusterDraft, HostDraft } from "./draft.ts";
import { isLibvirtHost, isProxmoxHost, makesMachines } from "../model/host-kinds.ts";
import type { Cluster } from "../model/cluster.ts";

const nameOf = ({ name }: { name: string }): string => name;

/** What a cluster is like because of the hosts it runs on. */
export function withHostDefaults(draft: ClusterDraft, hosts: HostDraft[]): ClusterDraft {
  const own = hosts.map(({ host }) => host).filter(({ name }) => draft.cluster.on.includes(name));
  if (own.length === 0) return draft;
  const makers = own.filter(makesMachines);
  const keyless = own.filter((host) => isProxmoxHost(host) || !makesMachines(host));
  const shape: Partial<Cluster> = {
    // Disks are called otherwise on libvirt, where they are plugged in as virtio disks.
    ...(makers.length > 0 && makers.every(isLibvirtHost) && { systemDisk: "/dev/vda" }),
    ...(hasGuests(draft.cluster) && keyless.length > 0 && { keylessHosts: keyless.map(nameOf) }),
  };
  return { ...draft, cluster: { ...draft.cluster, ...shape } };
}
