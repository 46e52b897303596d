import type { Identity } from "../../pki/index.ts";
import type { DatacenterFile, DatacenterStorage } from "../datacenter-file.ts";
import type { GuestDisk, GuestHardware } from "../guest.ts";
import { noHa, type HaState } from "./ha/state.ts";
import { builtInRoles, type Role } from "./access/roles.ts";

/** Everything the simulated cluster remembers over a restart: plain JSON. */
export interface ProxmoxState {
  users: Record<string, User>;
  /** Realms that calls have made or changed. */
  realms?: Record<string, Record<string, ConfigValue>>;
  /** By full id, `user@realm!name`. */
  tokens: Record<string, Token>;
  groups: Record<string, string[]>;
  groupComments?: Record<string, string>;
  roles: Record<string, Role>;
  acl: Grant[];
  pools: Record<string, Pool>;
  vms: Record<string, Vm>;
  volumes: Volume[];
  /** Storages that calls have defined or changed; null for one that was taken away. */
  storages?: Record<string, SimStorage | null>;
  /** The same of the datacenter's options. */
  options?: Record<string, unknown>;
  /** Addresses that DHCP servers gave out of their ranges, by network and MAC. */
  leases?: Record<string, Record<string, string>>;
  tasks: Task[];
  ha: HaState;
  /** Nodes the others do not see, with the time they went. */
  offline: Record<string, number>;
  /** The number the next worker process gets. */
  nextPid: number;
  bootedAt: number;
  /** Signs tickets. */
  ticketKey: string;
  authority: Identity;
  /** By node. */
  certificates: Record<string, Identity>;
}

/** A storage; what was set by calls stands beside what the simulator makes of it. */
export type SimStorage = DatacenterStorage & {
  isDisabled?: boolean;
  settings?: Record<string, ConfigValue>;
};

export interface User {
  password?: string;
  enable: boolean;
  expire: number;
  email?: string;
  firstname?: string;
  lastname?: string;
  comment?: string;
  keys?: string;
}

export interface Token {
  secret: string;
  privsep: boolean;
  expire: number;
  comment?: string;
}

export interface Grant {
  path: string;
  role: string;
  kind: "user" | "group" | "token";
  id: string;
  propagate: boolean;
}

export interface Pool {
  comment?: string | undefined;
  vms: number[];
  storages: string[];
}

export type ConfigValue = string | number;

export interface Vm {
  vmid: number;
  node: string;
  /** As the configuration file holds it, `lock` included. */
  config: Record<string, ConfigValue>;
  /** Changes a running machine takes over at its next start. */
  pending: {
    set: Record<string, ConfigValue>;
    delete: string[];
    /** Those to be deleted with what they hold. */
    forced?: string[];
  };
  /** What changed of the cloud-init drive while the machine ran: values it was made with, and keys it lacks. */
  seedChanges?: { before: Record<string, ConfigValue>; added: string[] };
  createdAt: number;
  running?:
    | {
        pid: number;
        startedAt: number;
        isPaused: boolean;
        /** As it was written to the cloud-init drive: a reset alone writes nothing. */
        seed?: GuestHardware["seed"];
      }
    | undefined;
  /** When it last went on or off. */
  powerChangedAt: number;
  /** By name; the configuration's `parent` names the one the machine stands on. */
  snapshots: Record<string, Snapshot>;
}

export interface Snapshot {
  config: Record<string, ConfigValue>;
  /** What the guest had written, by volume id. */
  disks: Record<string, GuestDisk>;
  takenAt: number;
  description: string;
  parent?: string | undefined;
}

export interface Volume {
  storage: string;
  /** Absent on shared storages. */
  node?: string | undefined;
  /** Behind the colon of the volume id: `100/vm-100-disk-0.qcow2`, `import/x.qcow2`, `vm-100-disk-0`. */
  name: string;
  content: "images" | "iso" | "import" | "vztmpl" | "snippets" | "backup";
  format: string;
  /** What a guest sees; for files their length. */
  sizeBytes: number;
  usedBytes: number;
  createdAt: number;
  vmid?: number;
  /** The URL or file name its content came from. */
  origin?: string | undefined;
  /** What a guest has written to it since. */
  data?: GuestDisk;
  /** Hex digests by algorithm, as far as known. */
  checksums: Record<string, string>;
  /** Of a backup: the machine that is in it. */
  machine?: ArchivedMachine;
}

/** A machine as a backup holds it. */
export interface ArchivedMachine {
  config: Record<string, ConfigValue>;
  notes: string;
  /** By slot. */
  disks: Record<string, Pick<Volume, "storage" | "format" | "sizeBytes" | "usedBytes" | "origin" | "data">>;
}

export interface Task {
  upid: string;
  node: string;
  pid: number;
  pstart: number;
  starttime: number;
  type: string;
  id: string;
  /** Who started it, token included. */
  owner: string;
  log: string[];
  endtime?: number;
  exitstatus?: string;
}

type Secrets = Pick<ProxmoxState, "ticketKey" | "authority" | "certificates">;

/** The state of a datacenter nobody has touched yet. */
export function freshState(file: DatacenterFile, secrets: Secrets, now: number): ProxmoxState {
  const version = file.version === "9.2" ? 9 : 8;
  return {
    ...secrets,
    users: {
      "root@pam": { enable: true, expire: 0, email: "root@localhost" },
      ...mapValues(file.users, (user) => ({
        enable: true,
        expire: 0,
        password: user.password,
      })),
      ...(file.users["root@pam"]?.password !== undefined && {
        "root@pam": {
          enable: true,
          expire: 0,
          email: "root@localhost",
          password: file.users["root@pam"].password,
        },
      }),
    },
    tokens: mapValues(file.tokens, (token) => ({ ...token, expire: 0 })),
    groups: structuredClone(file.groups),
    roles: {
      ...builtInRoles(version),
      ...mapValues(file.roles, (privs) => ({ privs: [...privs], isBuiltIn: false })),
    },
    acl: file.acl.map((grant) => ({
      path: grant.path,
      role: grant.role,
      kind: grant.token !== undefined ? "token" : grant.group !== undefined ? "group" : "user",
      id: grant.token ?? grant.group ?? grant.user ?? "",
      propagate: grant.propagate,
    })),
    pools: {},
    vms: Object.fromEntries(
      Object.entries(file.vms).map(([vmid, vm]) => [
        vmid,
        {
          vmid: Number(vmid),
          node: vm.node,
          config: { ...vm.config },
          pending: { set: {}, delete: [] },
          createdAt: now,
          powerChangedAt: now,
          snapshots: {},
          running: vm.isRunning ? { pid: 1000, startedAt: now, isPaused: false } : undefined,
        },
      ]),
    ),
    volumes: file.images.map((image) => ({
      storage: image.storage,
      node: file.storages[image.storage]?.shared === true ? undefined : image.node,
      name: image.file,
      ...kindOf(image.file),
      sizeBytes: image.size,
      usedBytes: image.size,
      createdAt: now,
      origin: image.from ?? image.file,
      checksums: {},
    })),
    tasks: Object.keys(file.nodes).map((node, index) => bootTask(node, 1000 + index, now)),
    ha: noHa(),
    offline: Object.fromEntries(
      Object.entries(file.nodes).flatMap(([name, node]) => (node.isOffline ? [[name, 0]] : [])),
    ),
    nextPid: 4096,
    bootedAt: now,
  };
}

function kindOf(file: string): Pick<Volume, "content" | "format" | "vmid"> {
  if (file.startsWith("iso/")) return { content: "iso", format: "iso" };
  const format = /\.(\w+)$/.exec(file)?.[1] ?? "raw";
  const owner = /(?:vm|base)-(\d+)-disk-\d+(?:\.\w+)?$/.exec(file)?.[1];
  return owner === undefined
    ? { content: "import", format }
    : { content: "images", format, vmid: Number(owner) };
}

/** The first thing a node does is to start its machines; its history begins there. */
function bootTask(node: string, pid: number, now: number): Task {
  const seconds = Math.floor(now / 1000);
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, "0");
  return {
    upid: `UPID:${node}:${hex(pid)}:${hex(100)}:${hex(seconds)}:startall::root@pam:`,
    node,
    pid,
    pstart: 100,
    starttime: seconds,
    endtime: seconds,
    type: "startall",
    id: "",
    owner: "root@pam",
    log: ["TASK OK"],
    exitstatus: "OK",
  };
}

const mapValues = <V, W>(record: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
