import type { Clock, Random } from "../../../lib/index.ts";
import type { ClusterView } from "../../cluster-view.ts";
import { awaitKubelets, kubeStore, objectsOf, type KubeState, type KubeStore } from "../../kube/index.ts";
import { Discovery, type ClusterNode } from "./discovery.ts";
import { writeSnapshot, type EtcdMemberState } from "../../etcd/index.ts";
import { Signals } from "../../signals.ts";

/** What the nodes of a cluster share through etcd, as plain data. */
export interface ClusterState {
  name: string;
  members: EtcdMemberState[];
  /** How often Bootstrap has succeeded. More than once means two clusters under one name. */
  bootstraps: number;
  /** How often Bootstrap has brought back a snapshot. */
  recoveries?: number;
  kube?: KubeState | undefined;
  /** What etcd complains about until somebody disarms it. */
  alarms?: { memberId: string; alarm: "NOSPACE" | "CORRUPT" }[];
}

/** By cluster id. */
export type TalosClustersState = Record<string, ClusterState>;

/** What its store keeps time and makes names with. */
export interface ClusterWorld {
  clock: Clock;
  random: Random;
}

/** One Talos cluster: the nodes that are up, etcd's members, and the Kubernetes objects all its API servers serve. */
export class TalosClusterOf<Node extends ClusterNode> {
  readonly id: string;
  readonly signals = new Signals();
  /** Nodes whose secure API answers. */
  readonly nodes = new Set<Node>();
  /** Control planes whose Kubernetes API answers. */
  readonly apiServers = new Set<Node>();
  readonly discovery = new Discovery();
  vipHolder: Node | undefined;
  #leaderId: string | undefined;
  readonly #state: ClusterState;
  readonly #world: ClusterWorld;
  readonly #saved: () => void;
  #store: KubeStore | undefined;

  constructor(id: string, state: ClusterState, world: ClusterWorld, saved: () => void) {
    this.id = id;
    this.#state = state;
    this.#world = world;
    this.#saved = saved;
  }

  get name(): string {
    return this.#state.name;
  }

  get members(): readonly EtcdMemberState[] {
    return this.#state.members;
  }

  get bootstraps(): number {
    return this.#state.bootstraps;
  }

  get recoveries(): number {
    return this.#state.recoveries ?? 0;
  }

  get alarms(): readonly NonNullable<ClusterState["alarms"]>[number][] {
    return this.#state.alarms ?? [];
  }

  /** More than half of the voters are up. */
  get hasQuorum(): boolean {
    const voters = this.#state.members.filter((member) => !member.isLearner);
    return voters.length > 0 && this.#runningVoters().length * 2 > voters.length;
  }

  /** The same voter for as long as it runs and nobody takes the lead from it. */
  get leader(): EtcdMemberState | undefined {
    if (!this.hasQuorum) return undefined;
    const candidates = this.#runningVoters();
    const leader = candidates.find((member) => member.id === this.#leaderId) ?? candidates[0];
    this.#leaderId = leader?.id;
    return leader;
  }

  #runningVoters(): EtcdMemberState[] {
    const running = new Set(
      [...this.nodes].filter((node) => node.isEtcdRunning).map((node) => node.disk.etcdMemberId),
    );
    return this.#state.members.filter((member) => !member.isLearner && running.has(member.id));
  }

  /** Another voter leads from now on. Undefined when there is none. */
  passLead(): EtcdMemberState | undefined {
    const next = this.#runningVoters().find((member) => member.id !== this.leader?.id);
    if (next !== undefined) this.#leaderId = next.id;
    this.changed();
    return next;
  }

  /** Whether the members that run could still decide anything if this one were no member. */
  canSpare(id: string): boolean {
    const voters = this.#state.members.filter((member) => !member.isLearner && member.id !== id);
    const running = this.#runningVoters().filter((member) => member.id !== id);
    return voters.length > 0 && running.length * 2 > voters.length;
  }

  disarm(): void {
    delete this.#state.alarms;
    this.changed();
  }

  get store(): KubeStore {
    if (this.#store === undefined) {
      this.#store = kubeStore(this.#state.kube, this.#world.clock, this.#world.random);
      this.#store.onChange(() => this.#saved());
    }
    return this.#store;
  }

  /** A control plane that could issue a worker's certificate. */
  canIssueFor(node: Node): boolean {
    const host = node.config?.endpoint.hostname;
    return [...this.nodes].some(
      (other) =>
        other.config?.role === "controlplane" &&
        (node.config?.hasDiscovery === true ||
          other.addresses().includes(host ?? "") ||
          (this.vipHolder !== undefined && other.config.vip === host)),
    );
  }

  /** The shared address has one holder: true for whoever asks first while it has none. */
  takeVip(node: Node): boolean {
    if (this.vipHolder !== undefined) return false;
    this.vipHolder = node;
    return true;
  }

  /** A new etcd begins. When no node that is up holds data of an earlier one, nothing of that is left. */
  bootstrap(member: EtcdMemberState): void {
    const held = new Set([...this.nodes].map((node) => node.disk.etcdMemberId));
    if (!this.#state.members.some(({ id }) => held.has(id))) {
      this.#state.members = [];
      delete this.#state.kube;
      this.#store = undefined;
    }
    this.#state.bootstraps += 1;
    this.addMember(member);
  }

  /** etcd's database as it is now. */
  snapshot(): Buffer {
    return writeSnapshot({ kube: this.store.toJSON() }, this.#state.members);
  }

  /** A new etcd of one member begins with the objects of a snapshot. Its other members have to join again. */
  recover(member: EtcdMemberState, kube: KubeState): void {
    this.#state.members = [];
    this.#state.kube = structuredClone(kube);
    this.#store = undefined;
    this.#state.recoveries = this.recoveries + 1;
    awaitKubelets(this.store);
    this.addMember(member);
  }

  addMember(member: EtcdMemberState): void {
    this.#state.members.push(member);
    this.changed();
  }

  promoteMember(id: string): void {
    const member = this.#state.members.find((candidate) => candidate.id === id);
    if (member !== undefined) member.isLearner = false;
    this.changed();
  }

  removeMember(id: string): boolean {
    const before = this.#state.members.length;
    this.#state.members = this.#state.members.filter((member) => member.id !== id);
    this.changed();
    return this.#state.members.length < before;
  }

  changed(): void {
    this.signals.notify();
    this.#saved();
  }

  view(): ClusterView {
    const running = new Set(this.#runningVoters());
    const serving = new Set([...this.apiServers].map((node) => node.disk.etcdMemberId));
    return {
      name: this.name,
      hasQuorum: this.hasQuorum,
      voters: this.#state.members
        .filter((member) => !member.isLearner)
        .map((member) => ({
          node: member.name,
          isServing: running.has(member) && serving.has(member.id),
        })),
      objects: (apiVersion, kind) => (this.#store ? objectsOf(this.#store, apiVersion, kind) : []),
    };
  }

  toJSON(): ClusterState {
    return { ...this.#state, kube: this.#store?.toJSON() ?? this.#state.kube };
  }
}

/** The clusters the nodes of one datacenter belong to, made when the first node of each is configured. */
export class ClusterTable<Node extends ClusterNode> {
  readonly #clusters = new Map<string, TalosClusterOf<Node>>();
  readonly #world: ClusterWorld;
  readonly #saved: () => void;

  constructor(saved: TalosClustersState, world: ClusterWorld, onChange: () => void) {
    this.#world = world;
    this.#saved = onChange;
    for (const [id, state] of Object.entries(saved)) {
      this.#clusters.set(id, new TalosClusterOf<Node>(id, structuredClone(state), world, onChange));
    }
  }

  join(id: string, name: string): TalosClusterOf<Node> {
    const existing = this.#clusters.get(id);
    if (existing !== undefined) return existing;
    const state = { name, members: [], bootstraps: 0 };
    const made = new TalosClusterOf<Node>(id, state, this.#world, this.#saved);
    this.#clusters.set(id, made);
    return made;
  }

  all(): TalosClusterOf<Node>[] {
    return [...this.#clusters.values()];
  }

  toJSON(): TalosClustersState {
    return Object.fromEntries([...this.#clusters].map(([id, cluster]) => [id, cluster.toJSON()]));
  }
}
