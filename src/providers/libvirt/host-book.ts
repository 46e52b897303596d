import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import { hostBook as bookOf, type HostBook as BookOf } from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";

export type Connect = (host: LibvirtHost) => Promise<LibvirtClient>;
export type HostBook = BookOf<LibvirtHost, LibvirtClient>;

export const hostBook = (connect: Connect): HostBook => bookOf(connect);
