import { createHash } from "node:crypto";
import type { Clock, Random } from "../../lib/index.ts";
import type { Identity } from "../../pki/index.ts";
import type { FaultBox } from "../faults.ts";
import type { GuestDisks, GuestHardware, GuestPower } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { SimNetwork } from "../network.ts";
import type { ClusterTable, TalosClusterOf } from "./etcd/cluster.ts";
import { EventLog } from "./event-log.ts";
import { readImage, type NodeDisk } from "./boot/node-disk.ts";
import { readNodeConfig, type NodeConfig } from "./config/node-config.ts";
import { ServiceTable } from "./service-table.ts";
import { Signals } from "../signals.ts";
import { staticApps, type StaticPods } from "./kubernetes/static-pods.ts";

/** What all simulated nodes of a datacenter share. */
export interface TalosWorld {
  network: SimNetwork;
  clock: Clock;
  latencies: Latencies;
  faults: FaultBox;
  random: Random;
  clusters: ClusterTable<TalosNode>;
}

export type TalosCluster = TalosClusterOf<TalosNode>;

export type MachineStage =
  | "booting"
  | "installing"
  | "maintenance"
  | "running"
  | "rebooting"
  | "shuttingDown"
  | "resetting"
  | "upgrading";

/** Why the running system ends, and what comes after it. */
export type Ending =
  | { kind: "reboot" }
  | { kind: "shutdown" }
  | {
      kind: "reset";
      wipes: ("STATE" | "EPHEMERAL")[];
      isWholeDisk: boolean;
      reboots: boolean;
      isGraceful: boolean;
    }
  | { kind: "upgrade"; image: string };

/** A simulated node: what it is, what it has on disk, and what it is doing. The story of its life is in `live-node.ts`. */
export class TalosNode {
  readonly hardware: GuestHardware;
  readonly world: TalosWorld;
  readonly power: GuestPower;
  readonly disks: GuestDisks;
  /** The system disk; in memory, and `systemSlot` absent, as long as the node runs from an ISO. */
  disk: NodeDisk = { ...readImage(""), isInstalled: false, bootId: "" };
  systemSlot: string | undefined;
  readonly events = new EventLog();
  readonly signals = new Signals();
  readonly services: ServiceTable;
  readonly #kernelLog: { at: number; line: string }[] = [];
  #toldStatus = "";
  #read: { text: string; minor: number; config: NodeConfig } | undefined;
  stage: MachineStage = "booting";
  /** The certificate it shows while it waits for its first config. */
  maintenance: Identity | undefined;
  config: NodeConfig | undefined;
  /** When its config came into force. */
  configuredAt = 0;
  cluster: TalosCluster | undefined;
  isEtcdRunning = false;
  /** Bootstrap was called: how the new etcd begins, once it has started. */
  founding: (() => void) | undefined;
  /** Of a control plane, as long as its system runs. */
  staticPods: StaticPods | undefined;
  /** What its API server shows and accepts, as long as it runs: that of the config it was started with. */
  apiServerTrust: { issuer: string; accepted: string[] } | undefined;
  /** A reboot has been decided; no further config is taken. */
  isEnding = false;
  /** A new system is being written to the disk. */
  isInstalling = false;
  /** Taken in maintenance mode; the node leaves that mode with it. */
  firstConfig: string | undefined;
  /** A config on trial, and the one that comes back after it. */
  attempt: { before: string } | undefined;
  /** An etcd snapshot that was sent for a recovery. */
  recovery: Buffer | undefined;
  /** Images fetched since boot: reference to when. */
  readonly images = { system: new Map<string, number>(), cri: new Map<string, number>() };
  bootedAt: number;
  /** Aborted when the running system ends or power is cut. */
  running: AbortSignal = AbortSignal.abort();
  /** Ends the running system; set while it runs. The actor id marks the events of this ending. */
  end: (ending: Ending, actorId?: string) => void = () => undefined;

  constructor(hardware: GuestHardware, disks: GuestDisks, power: GuestPower, world: TalosWorld) {
    this.hardware = hardware;
    this.world = world;
    this.power = power;
    this.disks = disks;
    this.bootedAt = world.clock.now();
    this.services = new ServiceTable(world.clock.now, (service) => {
      this.log(`[talos] service[${service.id}](${service.state}): ${service.message}`);
      this.events.service(service);
      this.changed();
    });
  }

  get minor(): number {
    return Number(this.disk.version.split(".")[1]);
  }

  get isControlPlane(): boolean {
    return this.config?.role === "controlplane";
  }

  /** What the cloud-init drive says, if the platform looks there at all. */
  get seed(): GuestHardware["seed"] {
    return this.disk.platform === "metal" ? undefined : this.hardware.seed;
  }

  /** A stable name for this machine's identity, as discovery uses it. */
  get nodeId(): string {
    return Buffer.from(this.hardware.uuid).toString("base64url").slice(0, 43);
  }

  /** Who names a node, strongest first: its config, the DHCP server, the platform, its own identity. */
  hostname(): string {
    return this.config?.hostname || this.#leasedName() || this.seed?.hostname || this.#stableName();
  }

  #leasedName(): string | undefined {
    const ignored = new Set(this.config?.ignoresLeaseNames);
    const named = this.links().filter((link) => link.isLeased && !ignored.has(link.name));
    const macs = new Set(named.map((link) => link.mac));
    const nics = this.hardware.nics.filter((nic) => macs.has(nic.mac.toLowerCase()));
    return nics.map((nic) => nic.lease?.hostname).find((name) => name !== undefined);
  }

  #stableName(): string {
    const hash = createHash("sha256").update(this.nodeId).digest("hex");
    return `talos-${hash.slice(0, 3)}-${hash.slice(3, 6)}`;
  }

  /** Each NIC with its addresses, the config's before the seed's. */
  links(): { name: string; mac: string; kind: string; cidrs: string[]; isLeased: boolean }[] {
    return this.hardware.nics.map((nic, index) => {
      const name = `eth${index}`;
      const mac = nic.mac.toLowerCase();
      const configured = (this.config?.addresses ?? [])
        .filter((entry) => (entry.mac === undefined ? entry.link === name : entry.mac.toLowerCase() === mac))
        .filter((entry) => nic.kind === undefined || entry.isPermanent === undefined)
        .map((entry) => entry.cidr);
      const seeded = (this.seed?.addresses ?? [])
        .filter((entry) => entry.mac.toLowerCase() === mac)
        .map((entry) => entry.cidr)
        .filter((cidr) => cidr !== undefined);
      const given = [...new Set([...configured, ...seeded])];
      // A NIC that nobody gave an address asks a DHCP server.
      const isLeased = given.length === 0 && nic.lease !== undefined;
      const cidrs = isLeased && nic.lease ? [nic.lease.cidr] : given;
      return { name, mac, kind: nic.kind ?? "", cidrs, isLeased };
    });
  }

  /** Without prefix length; the first one is the node's own. */
  addresses(): string[] {
    const all = this.links().flatMap((link) => link.cidrs.map((cidr) => cidr.split("/")[0] ?? cidr));
    return [...new Set(all)];
  }

  address(): string {
    return this.addresses()[0] ?? "";
  }

  /** Reads and checks a config; the last one is remembered. */
  readConfig(text: string): NodeConfig {
    const { minor } = this;
    if (this.#read?.text !== text || this.#read.minor !== minor) {
      this.#read = { text, minor, config: readNodeConfig(text, minor) };
    }
    return this.#read.config;
  }

  /** Puts the stored config into force. */
  configure(text: string): void {
    this.config = this.readConfig(text);
    this.configuredAt = this.world.clock.now();
    this.cluster = this.world.clusters.join(this.config.clusterId, this.config.clusterName);
    this.events.addresses(this.hostname(), this.addresses());
    this.changed();
  }

  save(): void {
    this.power.saved();
  }

  setStage(stage: MachineStage): void {
    this.stage = stage;
    this.log(`[talos] machine stage is now ${stage}`);
    this.changed();
  }

  changed(): void {
    this.#tellStatus();
    this.signals.notify();
    this.cluster?.signals.notify();
  }

  /** What keeps the node from being ready; at most stages nothing is asked of it. */
  unmet(): { name: string; reason: string }[] {
    if (this.config === undefined || (this.stage !== "booting" && this.stage !== "running")) return [];
    const services = this.#servicesMissing();
    const node = this.kubeNode();
    const name = this.hostname();
    const unready = this.isEtcdRunning ? this.#unreadyPods() : [];
    return [
      ...(services.length === 0 ? [] : [{ name: "services", reason: services.join(", ") }]),
      ...(unready.length === 0 ? [] : [{ name: "staticPods", reason: `${unready.join(", ")} not ready` }]),
      ...(node === "missing"
        ? [{ name: "nodeReady", reason: `node "${name}" status is not available yet` }]
        : []),
      ...(node === "not ready" ? [{ name: "nodeReady", reason: `node "${name}" is not ready` }] : []),
    ];
  }

  /** Services that run and are ill, then those that do not run and should. */
  #servicesMissing(): string[] {
    const isRunning = (id: string) => this.services.get(id)?.state === "Running";
    const ill = this.services.list().filter(({ id, isHealthy }) => isRunning(id) && isHealthy === false);
    const wanted = ["apid", "machined", "kubelet", ...(this.isControlPlane ? ["etcd", "trustd"] : [])];
    return [
      ...ill.map(({ id }) => `${id} not healthy`),
      ...wanted.filter((id) => !isRunning(id)).map((id) => `${id} not running`),
    ];
  }

  #unreadyPods(): string[] {
    const name = this.hostname();
    if (this.cluster?.apiServers.has(this) !== true) return [`kube-system/kube-apiserver-${name}`];
    return staticApps
      .filter((app) => this.staticPods?.isRunning(app) !== true)
      .map((app) => `kube-system/${app}-${name}`);
  }

  /** The state of this node in Kubernetes. */
  kubeNode(): "missing" | "not ready" | "ready" {
    if (this.cluster === undefined || this.cluster.apiServers.size === 0) return "missing";
    const found = this.cluster.store.find({ apiVersion: "v1", kind: "Node", name: this.hostname() });
    if (found === undefined) return "missing";
    const status = found["status"] as { conditions?: { type: string; status: string }[] } | undefined;
    const ready = status?.conditions?.find((condition) => condition.type === "Ready");
    return ready?.status === "True" ? "ready" : "not ready";
  }

  #tellStatus(): void {
    const unmet = this.unmet();
    const status = JSON.stringify([this.stage, unmet]);
    if (status === this.#toldStatus) return;
    this.#toldStatus = status;
    this.events.stage(this.stage, unmet.length === 0, unmet);
  }

  log(line: string): void {
    this.#kernelLog.push({ at: this.world.clock.now(), line });
    if (this.#kernelLog.length > 500) this.#kernelLog.shift();
  }

  /** A line of its own log, which goes to every console there is. */
  print(line: string): void {
    this.log(`[talos] ${line}`);
    const since = ((this.world.clock.now() - this.bootedAt) / 1000).toFixed(6).padStart(12);
    this.power.print(`[${since}] [talos] ${line}\r\n`);
  }

  kernelLog(): { at: number; line: string }[] {
    return this.#kernelLog;
  }
}
