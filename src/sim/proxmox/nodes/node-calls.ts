import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { nodeNames, type Cluster } from "../cluster.ts";
import { inHashOrder } from "../hash-order.ts";
import { vnetsOn, zoneOf } from "./bridges.ts";
import { internetOf } from "./internet-access.ts";
import { nodeSummary, versionOf } from "./cluster-calls.ts";

export const nodeCalls: Handlers<
  | "GET /nodes"
  | "GET /nodes/{node}/status"
  | "GET /nodes/{node}/version"
  | "GET /nodes/{node}/network"
  | "GET /nodes/{node}/network/{iface}"
  | "GET /nodes/{node}/query-url-metadata"
> = {
  "GET /nodes": (context) =>
    inHashOrder(context.cluster, nodeNames(context.cluster)).map((name) => ({
      ...nodeSummary(context, name),
      ssl_fingerprint: context.cluster.fingerprints[name],
    })),

  "GET /nodes/{node}/status": (context, { node }) => {
    const { cluster } = context;
    const summary = nodeSummary(context, node);
    const cpu = cluster.file.nodes[node]?.cpu;
    const total = Number(summary["maxmem"]);
    const used = Number(summary["mem"]);
    const cpus = Number(summary["maxcpu"]);
    return {
      pveversion: `pve-manager/${versionOf(cluster).version}/${versionOf(cluster).repoid}`,
      kversion: "Linux 6.17.2-1-pve #1 SMP PREEMPT_DYNAMIC",
      "current-kernel": {
        sysname: "Linux",
        release: "6.17.2-1-pve",
        version: "#1 SMP PREEMPT_DYNAMIC",
        machine: "x86_64",
      },
      "boot-info": { mode: "efi", secureboot: 0 },
      uptime: summary["uptime"],
      idle: 0,
      wait: 0,
      cpu: summary["cpu"],
      loadavg: ["0.10", "0.10", "0.10"],
      cpuinfo: {
        model: cpu?.model,
        cpus,
        cores: cpus,
        sockets: 1,
        mhz: "3000.000",
        user_hz: 100,
        hvm: cpu?.flags.some((flag) => flag === "vmx" || flag === "svm") ? "1" : "0",
        flags: cpu?.flags.join(" "),
      },
      memory: {
        total,
        used,
        free: total - used,
        available: cluster.version === 9 ? total - used : undefined,
      },
      swap: { total: 0, used: 0, free: 0 },
      ksm: { shared: 0 },
      rootfs: {
        total: summary["maxdisk"],
        used: summary["disk"],
        free: Number(summary["maxdisk"]) - Number(summary["disk"]),
        avail: Number(summary["maxdisk"]) - Number(summary["disk"]),
      },
    };
  },

  "GET /nodes/{node}/version": ({ cluster }) => versionOf(cluster),

  "GET /nodes/{node}/network": (context, { node, type }) => {
    const hasBridges =
      type === undefined || /^(?:bridge|any_bridge|any_local_bridge|include_sdn)$/.test(type);
    const hasVnets = type !== undefined && /^(?:vnet|any_bridge|include_sdn)$/.test(type);
    return [
      ...(hasBridges ? bridges(context.cluster, node) : []),
      ...(hasVnets ? vnets(context.cluster, node) : []),
    ].filter((bridge) => maySee(context, bridge));
  },

  "GET /nodes/{node}/network/{iface}": ({ cluster }, { node, iface }) => {
    const bridge = bridges(cluster, node).find((it) => it.iface === iface);
    if (!bridge) throw badParameter({ iface: "interface does not exist" });
    const { iface: _iface, ...rest } = bridge;
    return rest;
  },

  "GET /nodes/{node}/query-url-metadata": async ({ cluster }, { node, url }) => {
    const found = await internetOf(cluster, node)(url, { body: false });
    if (!("problem" in found)) {
      return { size: found.sizeBytes, filename: found.fileName, mimetype: found.mimeType };
    }
    if (found.problem === "status")
      throw refusal(`invalid server response: '${found.status} ${found.reason}'`);
    const reason =
      found.problem === "refused"
        ? `Can't connect to ${found.address} (Connection refused)`
        : `Can't connect to ${found.host} (Name or service not known)`;
    throw refusal(`invalid server response: '500 ${reason}'`);
  },
};

interface Bridge {
  iface: string;
  [key: string]: unknown;
}

/** Bridges are what guests are put on; only the first has the node's own address. */
function bridges(cluster: Cluster, node: string): Bridge[] {
  const { bridges: all = {}, address } = cluster.file.nodes[node] ?? {};
  const own = address ?? cluster.addresses[node];
  return Object.entries(all).map(([iface, bridge], index) => ({
    iface,
    type: "bridge",
    active: 1,
    autostart: 1,
    priority: index + 3,
    bridge_ports: bridge.ports.join(" "),
    bridge_stp: "off",
    bridge_fd: "0",
    ...(bridge.isVlanAware && { bridge_vlan_aware: 1, bridge_vids: "2-4094" }),
    families: ["inet"],
    method6: "manual",
    ...(index === 0 && own !== undefined
      ? { method: "static", address: own, netmask: "24", cidr: `${own}/24` }
      : { method: "manual" }),
  }));
}

const vnets = (cluster: Cluster, node: string): Bridge[] =>
  vnetsOn(cluster, node).map((iface) => ({ iface, type: "vnet", active: 1 }));

/** Who may look after the node does not thereby see its bridges. */
const maySee = (context: CallContext, bridge: Bridge): boolean =>
  context.may.any(`/sdn/zones/${zoneOf(context.cluster, bridge.iface)}/${bridge.iface}`, [
    "SDN.Audit",
    "SDN.Use",
  ]);
