import { ApiError, badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { isStandAlone, nodeNames, type Cluster } from "../cluster.ts";
import { optionsOf, setOptions } from "./datacenter-options.ts";
import { splitList } from "../parameters/formats.ts";
import { haDigest } from "../ha/ha.ts";
import { inHashOrder } from "../hash-order.ts";
import { isOnline, isQuorate } from "./quorum.ts";
import type { SimStorage, Vm } from "../state.ts";
import { isOnNode, storagesOf, usage } from "../storage/volumes.ts";
import { userOf } from "../access/privileges.ts";
import { allowedTags } from "../access/tag-access.ts";
import { daemonView } from "../vm/status.ts";
import { clusterRow, maySeeTask } from "../task-calls.ts";

const releases = {
  9: { version: "9.2.11", release: "9.2", repoid: "14a22df3" },
  8: { version: "8.4.21", release: "8.4", repoid: "lab8" },
} as const;

export const versionOf = (cluster: Cluster) => releases[cluster.version];

const lowestVmid = 100;
const highestVmid = 1_000_000;
const clusterTaskRows = 25;
const openOptions = new Set(["console", "tag-style"]);

export const clusterCalls: Handlers<
  | "GET /version"
  | "GET /cluster/resources"
  | "GET /cluster/status"
  | "GET /cluster/nextid"
  | "GET /cluster/options"
  | "PUT /cluster/options"
  | "GET /cluster/tasks"
  | "GET /cluster/log"
  | "GET /cluster/backup"
  | "GET /cluster/backup-info/not-backed-up"
  | "GET /cluster/replication"
  | "GET /cluster/config/apiversion"
  | "GET /cluster/config/totem"
  | "GET /cluster/config/nodes"
  | "GET /cluster/config/join"
> = {
  "GET /version": ({ cluster }) => versionOf(cluster),

  "GET /cluster/resources": (context, { type }) => {
    const parts = {
      vm: () => [...pools(context), ...guests(context)],
      node: () => nodes(context),
      storage: () => storages(context),
      sdn: () => networks(context),
    };
    if (type === "vm") return guests(context);
    if (type !== undefined) return parts[type]();
    return [...parts.vm(), ...parts.node(), ...parts.storage(), ...parts.sdn()];
  },

  "GET /cluster/status": ({ cluster, entry }) => [
    ...(isStandAlone(cluster)
      ? []
      : [
          {
            type: "cluster",
            id: "cluster",
            name: cluster.file.cluster,
            nodes: nodeNames(cluster).length,
            quorate: isQuorate(cluster) ? 1 : 0,
            version: 1,
          },
        ]),
    ...inHashOrder(cluster, [...nodeNames(cluster).entries()]).map(([index, name]) => ({
      type: "node",
      id: `node/${name}`,
      name,
      nodeid: isStandAlone(cluster) ? 0 : index + 1,
      ip: cluster.file.nodes[name]?.address ?? cluster.addresses[name],
      online: isOnline(cluster, name) ? 1 : 0,
      level: "",
      local: name === entry ? 1 : 0,
    })),
  ],

  "GET /cluster/nextid": ({ cluster }, { vmid }) => {
    const taken = cluster.state.vms;
    if (vmid !== undefined) {
      if (taken[String(vmid)]) throw badParameter({ vmid: `VM ${vmid} already exists` });
      return String(vmid);
    }
    const { lower = lowestVmid, upper = highestVmid } = optionsOf(cluster)["next-id"] ?? {};
    for (let id = Number(lower); id < Number(upper); id += 1) if (!taken[String(id)]) return String(id);
    throw refusal(`unable to get any free VMID in range [${lower}, ${upper}]`);
  },

  "PUT /cluster/options": ({ cluster }, { delete: removed, ...values }) =>
    setOptions(cluster, values, splitList(removed ?? "")),

  "GET /cluster/options": (context) => {
    const options: Record<string, unknown> = {
      mac_prefix: "BC:24:11",
      description: "",
      ...optionsOf(context.cluster),
    };
    // Some are for everybody: without them no console opens and no tag has its colour.
    const isSeen = context.may.all("/", ["Sys.Audit"]) ? () => true : (key: string) => openOptions.has(key);
    const seen = Object.entries(options).filter(([key]) => isSeen(key));
    return { ...Object.fromEntries(seen), "allowed-tags": allowedTags(context) };
  },

  // A token sees none here by being its owner: the server takes it for its user's before it compares.
  "GET /cluster/tasks": ({ cluster, caller, may }) => {
    const seesAll = may.all("/", ["Sys.Audit"]);
    return cluster.state.tasks
      .toReversed()
      .slice(0, clusterTaskRows)
      .filter(({ owner }) => seesAll || userOf(owner) === caller.id)
      .map(clusterRow);
  },

  "GET /cluster/log": (context, { max = clusterTaskRows }) =>
    context.cluster.state.tasks
      .toReversed()
      .filter((task) => maySeeTask(context, task))
      .slice(0, max)
      .map((task, index) => ({
        id: `${index + 1}:${task.node}`,
        uid: String(index + 1),
        node: task.node,
        user: task.owner,
        pid: task.pid,
        pri: 6,
        tag: "pvedaemon",
        time: task.endtime ?? task.starttime,
        msg:
          task.exitstatus === undefined
            ? `starting task ${task.upid}`
            : `end task ${task.upid} ${task.exitstatus}`,
      })),

  "GET /cluster/backup": () => [],
  "GET /cluster/backup-info/not-backed-up": ({ cluster }) =>
    inHashOrder(cluster, Object.values(cluster.state.vms)).map((vm) => ({
      type: "qemu",
      vmid: vm.vmid,
      name: vm.config["name"],
    })),
  "GET /cluster/replication": () => [],

  "GET /cluster/config/apiversion": () => 1,
  "GET /cluster/config/totem": ({ cluster }) => (isStandAlone(cluster) ? {} : totem(cluster)),

  "GET /cluster/config/nodes": ({ cluster }) => (isStandAlone(cluster) ? [] : members(cluster)),

  "GET /cluster/config/join": ({ cluster, entry }) => {
    if (isStandAlone(cluster)) throw new ApiError(424, "node is not in a cluster, no join info available!");
    return {
      preferred_node: entry,
      config_digest: haDigest(members(cluster)),
      nodelist: members(cluster).map(({ node: _node, ...member }) => ({
        ...member,
        pve_addr: member.ring0_addr,
        pve_fp: cluster.fingerprints[member.name],
      })),
      totem: totem(cluster),
    };
  },
};

const totem = (cluster: Cluster) => ({
  cluster_name: cluster.file.cluster,
  config_version: "1",
  interface: { "0": { linknumber: "0" } },
  ip_version: "ipv4-6",
  link_mode: "passive",
  secauth: "on",
  transport: "knet",
  version: "2",
});

const members = (cluster: Cluster) =>
  nodeNames(cluster).map((name, index) => ({
    node: name,
    name,
    nodeid: String(index + 1),
    quorum_votes: "1",
    ring0_addr: cluster.file.nodes[name]?.address ?? cluster.addresses[name] ?? "",
  }));

/** A node's numbers are for those who may audit it. */
export function nodeSummary(context: CallContext, name: string): Record<string, unknown> {
  const { cluster } = context;
  const node = cluster.file.nodes[name];
  const summary = { type: "node", id: `node/${name}`, node: name, status: "online", level: "" };
  if (!node || !context.may.all(`/nodes/${name}`, ["Sys.Audit"])) return summary;
  const running = Object.values(cluster.state.vms).filter((vm) => vm.node === name && vm.running);
  if (!isOnline(cluster, name)) {
    const { total } = usage(cluster, Object.keys(storagesOf(cluster))[0] ?? "", name);
    return { ...summary, status: "offline", maxcpu: node.cores, maxmem: node.memory, maxdisk: total };
  }
  const disk = usage(cluster, Object.keys(storagesOf(cluster))[0] ?? "", name);
  return {
    ...summary,
    maxcpu: node.cores,
    cpu: 0.02 + running.length / 100,
    maxmem: node.memory,
    mem: 2 * 2 ** 30 + running.reduce((sum, vm) => sum + Number(daemonView(cluster, vm)["maxmem"] ?? 0), 0),
    maxdisk: disk.total,
    disk: disk.used,
    uptime: Math.floor((cluster.clock.now() - cluster.state.bootedAt) / 1000),
  };
}

const nodes = (context: CallContext) =>
  inHashOrder(context.cluster, nodeNames(context.cluster)).map((name) => ({
    ...nodeSummary(context, name),
    "cgroup-mode": 2,
  }));

const mayRead = (context: CallContext, vm: Vm): boolean => context.may.all(`/vms/${vm.vmid}`, ["VM.Audit"]);

function guests(context: CallContext): Record<string, unknown>[] {
  const { cluster } = context;
  return inHashOrder(cluster, Object.values(cluster.state.vms))
    .filter((vm) => mayRead(context, vm))
    .map((vm) => {
      const pool = Object.entries(cluster.state.pools).find(([, it]) => it.vms.includes(vm.vmid))?.[0];
      return { ...daemonView(cluster, vm), ...(pool !== undefined && { pool }) };
    });
}

const pools = (context: CallContext) =>
  inHashOrder(context.cluster, Object.keys(context.cluster.state.pools))
    .filter((name) => context.may.all(`/pool/${name}`, ["Pool.Audit"]))
    .map((name) => ({ type: "pool", id: `/pool/${name}`, pool: name }));

const storages = (context: CallContext) =>
  inHashOrder(context.cluster, nodeNames(context.cluster)).flatMap((node) =>
    Object.entries(storagesOf(context.cluster))
      .filter(([, storage]) => isOnNode(storage, node))
      .filter(([name]) => context.may.all(`/storage/${name}`, ["Datastore.Audit"]))
      .map(([name, storage]) => storageRow(context.cluster, name, storage, node)),
  );

/** A storage as lists of the whole cluster show it, as one node sees it. */
export function storageRow(
  cluster: Cluster,
  name: string,
  storage: SimStorage,
  node: string,
): Record<string, unknown> {
  const { total, used } = usage(cluster, name, node);
  return {
    type: "storage",
    id: `storage/${node}/${name}`,
    node,
    storage: name,
    plugintype: storage.type,
    content: inHashOrder(cluster, storage.content).join(","),
    shared: storage.shared ? 1 : 0,
    status: "available",
    maxdisk: total,
    disk: used,
  };
}

function networks(context: CallContext): Record<string, unknown>[] {
  const zone = "localnetwork";
  if (!context.may.any(`/sdn/zones/${zone}`, ["SDN.Audit"])) return [];
  return nodeNames(context.cluster).map((node) =>
    context.cluster.version === 9
      ? {
          type: "network",
          id: `network/${node}/zone/${zone}`,
          node,
          network: zone,
          "network-type": "zone",
          status: "ok",
        }
      : { type: "sdn", id: `sdn/${node}/${zone}`, node, sdn: zone, status: "ok" },
  );
}

const readPrivileges = ["SDN.Audit", "SDN.Allocate"];
const digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

export const sdnCalls: Handlers<
  "GET /cluster/sdn/zones" | "GET /cluster/sdn/vnets" | "GET /cluster/sdn/ipams"
> = {
  "GET /cluster/sdn/ipams": () => [{ ipam: "pve", type: "pve", digest }],

  "GET /cluster/sdn/zones": (context, { type }) =>
    Object.entries(context.cluster.file.sdn.zones)
      .filter(([zone]) => context.may.any(`/sdn/zones/${zone}`, readPrivileges))
      .filter(([, zone]) => type === undefined || zone.type === type)
      .map(([zone, { nodes: on, ...settings }]) => ({
        zone,
        ...settings,
        nodes: on?.join(","),
        digest,
      })),

  "GET /cluster/sdn/vnets": (context) =>
    Object.keys(context.cluster.file.sdn.vnets).flatMap((name) => row(context, name)),
};

function row(context: CallContext, vnet: string): Record<string, unknown>[] {
  const found = context.cluster.file.sdn.vnets[vnet];
  if (!found || !context.may.any(`/sdn/zones/${found.zone}/${vnet}`, readPrivileges)) return [];
  const { isVlanAware, ...settings } = found;
  return [{ vnet, type: "vnet", ...settings, vlanaware: isVlanAware ? 1 : undefined, digest }];
}
