/** Hosts with libvirt that exist only in this process: its daemon's own protocol, answered as the real one does. */
export { libvirtHosts, type LibvirtHostFile } from "./libvirt-file.ts";
export { startLibvirt, type LibvirtEntry, type LibvirtState, type SimLibvirt } from "./start.ts";
