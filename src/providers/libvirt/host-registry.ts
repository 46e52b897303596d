import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import { hostRegistry as registryOf, type HostRegistry as BookOf } from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";

export type Connect = (host: LibvirtHost) => Promise<LibvirtClient>;
export type HostRegistry = BookOf<LibvirtHost, LibvirtClient>;

export const hostRegistry = (hosts: readonly LibvirtHost[], connect: Connect): HostRegistry =>
  registryOf(hosts, connect);
