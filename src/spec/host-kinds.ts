import type { Host, LibvirtHost, ProxmoxHost } from "./model.ts";

export const isProxmoxHost = (host: Host): host is ProxmoxHost => host.provider === "proxmox";
export const isLibvirtHost = (host: Host): host is LibvirtHost => host.provider === "libvirt";

/** What the host calls itself: a Proxmox node may have another name there than in the file. */
export const nodeNameOf = (host: Host): string => (isProxmoxHost(host) ? host.proxmox.node : host.name);

/** The name or address it is reached at; undefined for this very machine. */
export function hostnameOf(host: Host): string | undefined {
  const { hostname } = new URL(isProxmoxHost(host) ? host.proxmox.url : host.libvirt.uri);
  return hostname === "" ? undefined : hostname;
}
