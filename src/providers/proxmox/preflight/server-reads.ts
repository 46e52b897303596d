import type { NodeInfo, ProxmoxClient, TagRules } from "../../../clients/proxmox/index.ts";
import { once, type Read } from "../../../plan/index.ts";

/** What every node of a Proxmox cluster answers alike. */
export interface ServerReads {
  version: Read<string>;
  nodes: Read<NodeInfo[]>;
  tagRules: Read<TagRules>;
  isQuorate: Read<boolean | undefined>;
  pools: Read<string[]>;
  /** What the token may do on one path, or on every path that rules name. */
  permissions(path: string | undefined, signal: AbortSignal): Promise<Map<string, Set<string>>>;
}

/** Asks each server once for all its hosts: a hundred of them want to know the same. */
export function serverReads(): (client: ProxmoxClient) => ServerReads {
  const known = new Map<ProxmoxClient, ServerReads>();
  return (client) => {
    const reads = known.get(client) ?? readsOf(client);
    known.set(client, reads);
    return reads;
  };
}

function readsOf(client: ProxmoxClient): ServerReads {
  const rights = new Map<string | undefined, Promise<Map<string, Set<string>>>>();
  return {
    version: once((signal) => client.version(signal)),
    nodes: once((signal) => client.nodes(signal)),
    tagRules: once((signal) => client.tagRules(signal)),
    isQuorate: once((signal) => client.isQuorate(signal)),
    pools: once((signal) => client.pools(signal)),
    permissions: (path, signal) => {
      const asked = rights.get(path) ?? client.permissions(path, signal);
      rights.set(path, asked);
      return asked;
    },
  };
}
