/** libvirt's own wire protocol: machines, networks, storage and events of one host. Knows nothing of Slipway. */
export { openLibvirt, type LibvirtClient, type LibvirtOptions } from "./client.ts";
export { libvirtConnector, type ConnectorOptions, type LibvirtConnector } from "./connector.ts";
export type { SshWay } from "./over-ssh.ts";
export type { TlsIdentity } from "./over-tls.ts";
export { parseLibvirtUri, type LibvirtUri, type LocalUri, type SshUri, type TlsUri } from "./uri.ts";
export type {
  AddressSource,
  Affects,
  Console,
  ConsoleEvents,
  Domain,
  DomainChange,
  DomainInfo,
  DomainState,
  GuestCard,
} from "./domains.ts";
export type { HostInfo } from "./host.ts";
export type { Network } from "./networks.ts";
export type { Pool, PoolInfo, Volume } from "./storages.ts";
