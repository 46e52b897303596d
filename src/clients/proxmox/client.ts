import { CallTrace, type Clock, type Dial, type Trust } from "../../lib/index.ts";
import { accessCalls, type AccessCalls } from "./calls/access.ts";
import { accountCalls, type AccountCalls } from "./calls/accounts.ts";
import { asFields, asMiB, asNumber, asRecords, asText, sortedBy } from "./wire/answers.ts";
import { makeCall, type Call, type CallInfo } from "./wire/call.ts";
import { Connections } from "./wire/connection.ts";
import { backupCalls, type BackupCalls } from "./calls/backups.ts";
import { consoleCalls, type ConsoleCalls } from "./calls/console.ts";
import { haCalls, type HaCalls } from "./calls/ha.ts";
import { historyCalls, type HistoryCalls } from "./calls/history.ts";
import { hostFactCalls, readProcessor, type HostFactCalls, type Processor } from "./calls/host-facts.ts";
import { machineCalls, type MachineCalls, templateCalls, type TemplateCalls } from "./calls/machines.ts";
import { migrationCalls, type MigrationCalls } from "./calls/migration.ts";
import { removalCalls, type RemovalCalls } from "./calls/removals.ts";
import { snapshotCalls, type SnapshotCalls } from "./calls/snapshots.ts";
import { storageCalls, type StorageCalls } from "./calls/storages.ts";
import { taskStarter, taskWatcher, type Task } from "./task.ts";
import { uploadCalls, type UploadCalls } from "./calls/upload.ts";

export interface ProxmoxOptions {
  /** `https://HOST:8006`; any node of a Proxmox cluster answers for all of them. */
  url: string;
  token: { id: string; secret: string };
  trust: Trust;
  dial: Dial;
  clock: Clock;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  /** Told after every exchange, for logs. It never sees parameters or secrets. */
  onCall?: ((info: CallInfo) => void) | undefined;
  /** Proxmox gives up on a silent node after 30 s and then says so, which is the better message: wait a bit longer. */
  callTimeoutMs?: number;
}

export interface NodeInfo {
  node: string;
  isOnline: boolean;
  /** Of its certificate, which no other node has. */
  fingerprint: string;
}

export interface NodeStatus {
  /** `9.2.11`. */
  version: string;
  cores: number;
  memoryMiB: number;
  memoryUsedMiB: number;
  processor: Processor;
}

/** A VM or container as the cluster's status daemon last saw it, up to ten seconds ago. */
export interface Guest {
  vmid: number;
  node: string;
  name: string;
  kind: "qemu" | "lxc";
  tags: string[];
  /** The cluster itself keeps it running. */
  isHaManaged: boolean;
  /** As its host has last told the others, every ten seconds or so. */
  isRunning: boolean;
  cores: number;
  memoryMiB: number;
  /** Of its first disk. */
  diskGiB: number;
  /** Of its own cores and memory; absent while it is off or the daemon has not seen it yet. */
  load?: { cpuPercent: number; memoryUsedMiB: number } | undefined;
}

export interface RunningTask {
  upid: string;
  type: string;
  /** What it works on: a VMID, or the file name of a download. */
  id: string;
}

export interface ProxmoxClient
  extends
    MachineCalls,
    RemovalCalls,
    TemplateCalls,
    StorageCalls,
    UploadCalls,
    AccessCalls,
    AccountCalls,
    BackupCalls,
    ConsoleCalls,
    HistoryCalls,
    HostFactCalls,
    HaCalls,
    MigrationCalls,
    SnapshotCalls {
  readonly url: string;
  readonly tokenId: string;
  version(signal?: AbortSignal): Promise<string>;
  /** What the token may do: on one path, or on every path that access rules name. */
  permissions(path?: string, signal?: AbortSignal): Promise<Map<string, Set<string>>>;
  nodes(signal?: AbortSignal): Promise<NodeInfo[]>;
  nodeStatus(node: string, signal?: AbortSignal): Promise<NodeStatus>;
  /** Names of bridges and virtual networks a machine may be put on. */
  bridges(node: string, signal?: AbortSignal): Promise<string[]>;
  pools(signal?: AbortSignal): Promise<string[]>;
  guests(signal?: AbortSignal): Promise<Guest[]>;
  /** Free at this moment; nothing is reserved. */
  nextFreeId(signal?: AbortSignal): Promise<number>;
  runningTasks(node: string, signal?: AbortSignal): Promise<RunningTask[]>;
  /** A task somebody else may have started. */
  task(upid: string, doing?: string): Task;
  close(): void;
}

/** Opens nothing yet: the first call does. */
export function connectProxmox(options: ProxmoxOptions): ProxmoxClient {
  const url = new URL(options.url);
  const { token, trust, dial, clock, onCall, callTimeoutMs: timeoutMs = 35_000 } = options;
  const { calls = new CallTrace() } = options;
  const connections = new Connections({ url, trust, dial });
  const credentials = { authorization: `PVEAPIToken=${token.id}=${token.secret}` };
  const way = { url, connections, credentials, clock, calls, timeoutMs, onCall };
  const call = makeCall(way);
  const task = taskWatcher(call, clock, url.origin);
  const start = taskStarter(call, task);
  return {
    url: url.origin,
    tokenId: token.id,
    ...clusterCalls(call),
    ...accessCalls(call),
    ...accountCalls(call),
    ...backupCalls(call, start),
    ...consoleCalls(call, way),
    ...haCalls(call),
    ...historyCalls(call),
    ...hostFactCalls(call),
    ...machineCalls(call, start),
    ...migrationCalls(call, start),
    ...removalCalls(call, start),
    ...templateCalls(start),
    ...snapshotCalls(call, start),
    ...storageCalls(call, start),
    ...uploadCalls(way, task),
    task: (upid, doing = "finish a task that was already running") => task(upid, doing),
    close: () => connections.destroy(),
  };
}

const bridgeKinds = new Set(["bridge", "OVSBridge", "vnet"]);

/** What is asked of a server as a whole. */
export const clusterCalls = (call: Call) => ({
  version: async (signal?: AbortSignal) =>
    asText(asFields(await call("GET /version", "ask Proxmox for its version", {}, signal))["version"]),

  permissions: async (path?: string, signal?: AbortSignal) => {
    const params = path === undefined ? {} : { path };
    const data = asFields(await call("GET /access/permissions", "read the token's rights", params, signal));
    // The values say whether a right is handed down; that it stands there at all means it is given.
    return new Map(Object.entries(data).map(([at, rights]) => [at, new Set(Object.keys(asFields(rights)))]));
  },

  nodes: async (signal?: AbortSignal): Promise<NodeInfo[]> =>
    sortedBy(
      asRecords(await call("GET /nodes", "list nodes", {}, signal))
        .map((node) => ({
          node: asText(node["node"]),
          isOnline: node["status"] === "online",
          fingerprint: asText(node["ssl_fingerprint"]),
        }))
        // What stands before Proxmox may answer with anything; a node without a name is none.
        .filter(({ node }) => node !== ""),
      ({ node }) => node,
    ),

  nodeStatus: async (node: string, signal?: AbortSignal): Promise<NodeStatus> => {
    const data = asFields(
      await call("GET /nodes/{node}/status", `read the state of node ${node}`, { node }, signal),
    );
    const memory = asFields(data["memory"]);
    return {
      // pve-manager/9.2.11/14a22df3
      version: asText(data["pveversion"]).split("/")[1] ?? "",
      cores: asNumber(asFields(data["cpuinfo"])["cpus"]),
      processor: readProcessor(asFields(data["cpuinfo"])),
      memoryMiB: asMiB(memory["total"]),
      memoryUsedMiB: asMiB(memory["used"]),
    };
  },

  bridges: async (node: string, signal?: AbortSignal): Promise<string[]> => {
    const params = { node, type: "any_bridge" } as const;
    const data = await call("GET /nodes/{node}/network", `list bridges of node ${node}`, params, signal);
    return asRecords(data)
      .filter((network) => bridgeKinds.has(asText(network["type"])))
      .map((network) => asText(network["iface"]))
      .toSorted();
  },

  pools: async (signal?: AbortSignal): Promise<string[]> =>
    asRecords(await call("GET /pools", "list pools", {}, signal))
      .map((pool) => asText(pool["poolid"]))
      .toSorted(),

  guests: async (signal?: AbortSignal): Promise<Guest[]> => {
    const data = await call("GET /cluster/resources", "list machines", { type: "vm" }, signal);
    const guests = asRecords(data).map((guest) => ({
      vmid: asNumber(guest["vmid"]),
      node: asText(guest["node"]),
      name: asText(guest["name"]),
      kind: guest["type"] === "lxc" ? ("lxc" as const) : ("qemu" as const),
      tags: asText(guest["tags"])
        .split(/[;, ]+/)
        .filter((tag) => tag !== ""),
      isHaManaged: asText(guest["hastate"]) !== "",
      isRunning: guest["status"] === "running",
      cores: asNumber(guest["maxcpu"]),
      memoryMiB: asMiB(guest["maxmem"]),
      diskGiB: asNumber(guest["maxdisk"]) / 1024 ** 3,
      load: loadOf(guest),
    }));
    return sortedBy(guests, ({ vmid }) => vmid);
  },

  nextFreeId: async (signal?: AbortSignal): Promise<number> =>
    asNumber(await call("GET /cluster/nextid", "find a free VMID", {}, signal)),

  runningTasks: async (node: string, signal?: AbortSignal): Promise<RunningTask[]> => {
    const params = { node, source: "active", limit: 1000 } as const;
    const data = await call("GET /nodes/{node}/tasks", `list tasks of node ${node}`, params, signal);
    return asRecords(data)
      .filter((task) => task["endtime"] === undefined)
      .map((task) => ({
        upid: asText(task["upid"]),
        type: asText(task["type"]),
        id: asText(task["id"]),
      }));
  },
});

/** A share of 1 stands for all cores of the guest. */
const loadOf = (guest: Record<string, unknown>): Guest["load"] =>
  guest["status"] === "running" && guest["cpu"] !== undefined && guest["mem"] !== undefined
    ? { cpuPercent: asNumber(guest["cpu"]) * 100, memoryUsedMiB: asMiB(guest["mem"]) }
    : undefined;
