import { SlipwayError, errorData } from "../../../errors/index.ts";
import type { ReadContext, UnreachableHost } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { nodeMissing, nodeOffline } from "../preflight/errors.ts";

/** Asks on behalf of hosts. What keeps an answer from coming makes them silent; it ends nothing else. */
export async function unlessUnreachable<T>(
  ctx: ReadContext,
  hosts: ProxmoxHost[],
  ask: () => Promise<T>,
): Promise<T | UnreachableHost[]> {
  try {
    return await ask();
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return unreachableFor(hosts, thrown);
  }
}

export const unreachableFor = (hosts: ProxmoxHost[], error: SlipwayError): UnreachableHost[] =>
  hosts.map((host) => ({
    host: host.name,
    error: {
      ...errorData(error),
      // Which call met it first is chance; which host it was is not.
      ...(isOfCall(error, host) && { what: `Cannot ask host "${host.name}"` }),
      at: error.at ?? host.at,
    },
  }));

const isOfCall = ({ code, shared }: SlipwayError, { proxmox }: ProxmoxHost): boolean =>
  shared === proxmox.url && code !== "PVE_TLS_UNTRUSTED";

/** Hosts whose node is switched off, or is none of this Proxmox. */
export function unreachableNodes(
  hosts: ProxmoxHost[],
  nodes: { node: string; isOnline: boolean }[],
): UnreachableHost[] {
  const known = nodes.map((each) => each.node);
  const free = known.filter((node) => !hosts.some((host) => host.proxmox.node === node));
  return hosts.flatMap((host) => {
    const found = nodes.find((each) => each.node === host.proxmox.node);
    if (found?.isOnline) return [];
    return unreachableFor([host], found ? nodeOffline(host) : nodeMissing({ host, known, free }));
  });
}

/** These say that one node does not answer, while its Proxmox cluster does. */
export const isNodeUnreachable = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && ["PVE_NODE_UNREACHABLE", "PVE_TIMEOUT"].includes(thrown.code);
