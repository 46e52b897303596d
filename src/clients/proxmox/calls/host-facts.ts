import { asFields, asFlag, asList, asNumber, asRecords, asText, sortedBy } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";

/** Something machines can be plugged into. */
export interface Network {
  name: string;
  kind: "bridge" | "OVSBridge" | "vnet";
  /** Led outside by at least one port of the host. A vnet does that by itself. */
  hasPort: boolean;
  /** Lets tagged frames of guests through. */
  isVlanAware: boolean;
  /** Of the host itself in it, as `192.168.1.10/24`. */
  cidr?: string | undefined;
  /** Where the host sends what is meant for elsewhere. */
  gateway?: string | undefined;
}

export interface Processor {
  /** 64-bit guests run on it with the hardware's help. */
  hasVirtualization: boolean;
  /** As the kernel names them: `sse4_2`, `avx2`. Empty when the node does not tell. */
  flags: Set<string>;
  model: string;
}

/** What a node tells of the file behind a URL. */
export interface UrlMetadata {
  sizeBytes: number;
  fileName: string;
}

/** Who may give machines which tags. */
export interface TagRules {
  /** Absent: the caller may not see it. That takes Sys.Audit on `/`. */
  mode?: string | undefined;
  /** What the caller may set; where everybody may invent tags, those in use. */
  allowed: string[];
  /** Only for those who may change the whole datacenter; empty as well when the caller may not see them. */
  registered: string[];
}

export interface HostFactCalls {
  tagRules(signal?: AbortSignal): Promise<TagRules>;
  /** Undefined for a node that stands alone. Needs Sys.Audit on `/`. */
  isQuorate(signal?: AbortSignal): Promise<boolean | undefined>;
  /** Where the nodes that are not the asked one have their own API, by name. Needs Sys.Audit on `/`. */
  otherAddresses(signal?: AbortSignal): Promise<Map<string, string>>;
  /** Seconds since 1970 by the node's own clock. */
  nodeTime(node: string, signal?: AbortSignal): Promise<number>;
  networks(node: string, signal?: AbortSignal): Promise<Network[]>;
  /** Types of processors a machine on the node can be given. */
  processorTypes(node: string, signal?: AbortSignal): Promise<string[]>;
  /** The node itself asks, with its own network, DNS and certificates. */
  urlMetadata(node: string, url: string, signal?: AbortSignal): Promise<UrlMetadata>;
}

const kinds = new Set<string>(["bridge", "OVSBridge", "vnet"]);

/** A list as such, or as one text. */
const asTags = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : asList(value));

export const readProcessor = (cpu: Record<string, unknown>): Processor => ({
  hasVirtualization: asText(cpu["hvm"]) !== "0",
  flags: new Set(asList(cpu["flags"])),
  model: asText(cpu["model"]),
});

export const hostFactCalls = (call: Call): HostFactCalls => ({
  tagRules: async (signal) => {
    const data = asFields(await call("GET /cluster/options", "read the options of the cluster", {}, signal));
    // Told to whoever sees the options at all, and to nobody else.
    const isSeen = data["mac_prefix"] !== undefined;
    const mode = asText(asFields(data["user-tag-access"])["user-allow"]) || "free";
    return {
      mode: isSeen ? mode : undefined,
      allowed: asTags(data["allowed-tags"]),
      registered: asTags(data["registered-tags"]),
    };
  },

  isQuorate: async (signal) => {
    const rows = asRecords(await call("GET /cluster/status", "read the state of the cluster", {}, signal));
    const cluster = rows.find((row) => row["type"] === "cluster");
    return cluster && asFlag(cluster["quorate"]);
  },

  otherAddresses: async (signal) => {
    const rows = asRecords(await call("GET /cluster/status", "read the state of the cluster", {}, signal));
    const others = rows.filter((row) => row["type"] === "node" && !asFlag(row["local"]));
    return new Map(others.map((row) => [asText(row["name"]), asText(row["ip"])]));
  },

  nodeTime: async (node, signal) =>
    asNumber(
      asFields(await call("GET /nodes/{node}/time", `read the clock of node ${node}`, { node }, signal))[
        "time"
      ],
    ),

  networks: async (node, signal) => {
    const params = { node, type: "any_bridge" } as const;
    const data = await call("GET /nodes/{node}/network", `list bridges of node ${node}`, params, signal);
    const networks = asRecords(data)
      .filter((network) => kinds.has(asText(network["type"])))
      .map((network): Network => {
        const kind = asText(network["type"]) as Network["kind"];
        const ports = [...asList(network["bridge_ports"]), ...asList(network["ovs_ports"])];
        return {
          name: asText(network["iface"]),
          kind,
          hasPort: kind === "vnet" || ports.some((port) => port !== "none"),
          isVlanAware: kind === "OVSBridge" || asFlag(network["bridge_vlan_aware"]),
          cidr: asText(network["cidr"]) || undefined,
          gateway: asText(network["gateway"]) || undefined,
        };
      });
    return sortedBy(networks, ({ name }) => name);
  },

  processorTypes: async (node, signal) => {
    const doing = `list the processor types of node ${node}`;
    const data = await call("GET /nodes/{node}/capabilities/qemu/cpu", doing, { node }, signal);
    return asRecords(data)
      .map((type) => asText(type["name"]))
      .toSorted();
  },

  urlMetadata: async (node, url, signal) => {
    const doing = `let node ${node} look at the image's address`;
    const data = asFields(await call("GET /nodes/{node}/query-url-metadata", doing, { node, url }, signal));
    return { sizeBytes: asNumber(data["size"]), fileName: asText(data["filename"]) };
  },
});
