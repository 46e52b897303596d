/** libvirt's own wire protocol: machines, networks, storage and events of one host. Knows nothing of Slipway. */
export { openLibvirt, type LibvirtClient, type LibvirtOptions } from "./client.ts";
export { protocolVersion } from "./wire/packet.ts";
export { libvirtConnector, type ConnectorOptions, type LibvirtConnector } from "./transport/connector.ts";
export type { SshRoute } from "./transport/over-ssh.ts";
export type { TlsIdentity } from "./transport/over-tls.ts";
export {
  parseLibvirtUri,
  type Driver,
  type LibvirtUri,
  type LocalUri,
  type SshUri,
  type TlsUri,
} from "./transport/uri.ts";
export type {
  AddressSource,
  Affects,
  Console,
  ConsoleEvents,
  Domain,
  DomainCalls,
  DomainChange,
  DomainInfo,
  DomainLoad,
  DomainState,
  GuestNic,
} from "./calls/domains.ts";
export type { HostCalls, HostInfo, HostInterface } from "./calls/host.ts";
export type { Network, NetworkCalls } from "./calls/networks.ts";
export type { Pool, PoolInfo, StorageCalls, Volume } from "./calls/storages.ts";
