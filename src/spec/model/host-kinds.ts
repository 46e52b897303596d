import type { Cluster, ExistingHost, Host, LibvirtHost, ProxmoxHost } from "./cluster.ts";
import type { SecretRef } from "./secret.ts";

export const isProxmoxHost = (host: Host): host is ProxmoxHost => host.provider === "proxmox";
export const isLibvirtHost = (host: Host): host is LibvirtHost => host.provider === "libvirt";
export const isExistingHost = (host: Host): host is ExistingHost => host.provider === "existing";

/** Machines are made there. Otherwise the nodes on it are those that the file chose for it. */
export const makesMachines = (host: Host): boolean => !isExistingHost(host);

/** What the host calls itself: a Proxmox node may have another name there than in the file. */
export const nodeNameOf = (host: Host): string => (isProxmoxHost(host) ? host.proxmox.node : host.name);

/** Where it is reached; undefined for what is no host of its own. */
function urlOf(host: Host): URL | undefined {
  if (isExistingHost(host)) return undefined;
  return new URL(isProxmoxHost(host) ? host.proxmox.url : host.libvirt.uri);
}

/** The name or address it is reached at; undefined for this very machine, and where there is none. */
export const hostnameOf = (host: Host): string | undefined => urlOf(host)?.hostname || undefined;

/** The port of its API, or that of SSH where it is reached through it. */
export const portOf = (host: Host): number => Number(urlOf(host)?.port || (isProxmoxHost(host) ? 8006 : 22));

/** The secrets that open it. */
export function hostSecrets(host: Host): SecretRef[] {
  if (isExistingHost(host)) return host.existing.machines.flatMap(({ bmc }) => bmc?.password ?? []);
  return isProxmoxHost(host) ? [host.proxmox.token.secret] : [];
}

/** The same for hosts whose machines share one range of numbers. */
export const numberRange = (host: Host): string => (isProxmoxHost(host) ? host.proxmox.url : host.name);

/** What a hypervisor calls the machine of a node. `usual` is its own way, where the file says nothing. */
export const machineNameOf = (
  { name, machineNames }: Pick<Cluster, "name" | "machineNames">,
  node: string,
  usual: string,
): string => (machineNames ?? usual).replaceAll("{cluster}", name).replaceAll("{node}", node);
