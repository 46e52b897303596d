import { errorData, SlipwayError, type ErrorData } from "../../../errors/index.ts";
import type { HostInfo, LibvirtClient } from "../../../clients/libvirt/index.ts";
import {
  hostView as viewOf,
  once,
  type Check,
  type CheckTitles,
  type Finding,
  type HostView as ViewOf,
  type Read,
  type ReadContext,
  type Wanted,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { readHostCapabilities, type HostCapabilities } from "../survey/capabilities.ts";
import type { HostRegistry } from "../host-registry.ts";

/** One host with what a cluster wants of it, and with what checks ask its daemon. */
export interface HostView extends ViewOf<LibvirtHost, LibvirtClient> {
  info: Read<HostInfo>;
  capabilities: Read<HostCapabilities>;
}

export function hostView(registry: HostRegistry, host: LibvirtHost, wanted: Wanted<LibvirtHost>): HostView {
  const view = viewOf(registry, host, wanted);
  return {
    ...view,
    info: once(async (signal) => (await view.client()).hostInfo(signal)),
    capabilities: once(async (signal) =>
      readHostCapabilities(await (await view.client()).capabilities(signal)),
    ),
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

type Look = (ctx: ReadContext) => Promise<Finding>;

/** A check of one host. What it throws is its finding. */
export function hostCheck(view: HostView, id: string, [title, failing]: CheckTitles, run: Look): Check {
  return {
    id,
    title,
    failing,
    host: view.host.name,
    async run(ctx) {
      if (view.unreachableBecause) return told(view, view.unreachableBecause, id, connectionCheckId);
      try {
        const finding = await run(ctx);
        return finding.error ? { ...finding, error: atHost(view, finding.error) } : finding;
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        return told(view, errorData(thrown), id, id);
      }
    },
  };
}

/** Each trouble with the way to the host is told by one check; the others, which meet it too, stay out. */
function told(view: HostView, error: ErrorData, id: string, otherwise: string): Finding {
  const teller = tellerOf(error.code) ?? otherwise;
  if (teller !== id) return { status: "skipped", because: teller };
  return { status: "failed", error: atHost(view, error) };
}

const atHost = (view: HostView, error: ErrorData): ErrorData => ({ ...error, at: error.at ?? view.host.at });

/** A check that depends on which nodes the host gets. */
export const placedCheck: typeof hostCheck = (view, id, titles, run) =>
  hostCheck(view, id, titles, (ctx) =>
    view.isUndecided ? Promise.resolve({ status: "skipped", because: connectionCheckId }) : run(ctx),
  );

/** Those of the cluster's nodes that may come to this host. */
export const nodesMaybeHere = (view: HostView) =>
  view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);
