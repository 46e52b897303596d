import type { HostInfo, LibvirtClient } from "../../../clients/libvirt/index.ts";
import {
  hostViews as viewsOf,
  once,
  type HostView as ViewOf,
  type Read,
  type Wanted,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { hostChecks } from "../../common/index.ts";
import { readHostCapabilities, type HostCapabilities } from "../survey/capabilities.ts";
import type { HostRegistry } from "../host-registry.ts";

/** One host with what a cluster wants of it, and with what checks ask its daemon. */
export interface HostView extends ViewOf<LibvirtHost, LibvirtClient> {
  info: Read<HostInfo>;
  capabilities: Read<HostCapabilities>;
}

export function hostViews(
  registry: HostRegistry,
  wanted: Wanted<LibvirtHost>,
): (host: LibvirtHost) => HostView {
  const viewOf = viewsOf(registry, wanted);
  return (host) => {
    const view = viewOf(host);
    return {
      ...view,
      info: once(async (signal) => (await view.client()).hostInfo(signal)),
      capabilities: once(async (signal) =>
        readHostCapabilities(await (await view.client()).capabilities(signal)),
      ),
    };
  };
}

export const connectionCheckId = "libvirt-connection";
export const permissionCheckId = "libvirt-permission";

const denials = new Set([
  "LIBVIRT_DENIED",
  "LIBVIRT_SOCKET_DENIED",
  "LIBVIRT_LOGIN_UNKNOWN",
  "LIBVIRT_TLS_REFUSED",
]);
const breaks = new Set([
  "LIBVIRT_BAD_URI",
  "LIBVIRT_CERTIFICATE_UNREADABLE",
  "LIBVIRT_CONNECTION_LOST",
  "LIBVIRT_NOT_RUNNING",
  "LIBVIRT_NO_WAY_THROUGH_SSH",
  "LIBVIRT_TLS_FAILED",
]);

/** Which check tells of an error that every check would meet. */
function tellerOf(code: string): string | undefined {
  if (denials.has(code) || code === "SSH_LOGIN_REFUSED") return permissionCheckId;
  return breaks.has(code) || code.startsWith("SSH_") ? connectionCheckId : undefined;
}

export const { hostCheck, placedCheck } = hostChecks<HostView>({
  tellerOf,
  answersCheck: connectionCheckId,
});

/** Those of the cluster's nodes that may come to this host. */
export const nodesMaybeHere = (view: HostView) =>
  view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);
