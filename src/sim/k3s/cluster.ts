import type { Clock, Random } from "../../lib/index.ts";
import type { ClusterView } from "../cluster-view.ts";
import { kubeStore, objectsOf, type KubeState, type KubeStore } from "../kube/index.ts";
import { Signals } from "../signals.ts";
import type { CriticalSettings } from "./critical-settings.ts";
import type { Journal } from "./journal.ts";
import type { TrustFiles } from "./supervisor/trust.ts";

export interface Member {
  /** 64 bits in hexadecimal. */
  id: string;
  /** `cp-1-5f8a2c31`: the node's name and eight random digits. */
  name: string;
  node: string;
  address: string;
  isLearner: boolean;
}

/** How Secrets are encrypted, as all servers get it with what joins them. */
export interface Encryption {
  /** Names of the keys, the one that is written with first. */
  keys: string[];
  /** When all Secrets are written with it; absent: they always were. */
  finishesMs?: number | undefined;
}

/** What joining servers get, locked with the token of the one that founded. */
export interface BootstrapData {
  tokenHash: string;
  trust: TrustFiles;
  /** Sets that were replaced: a server that still has one of them takes the new one when it starts. */
  former?: TrustFiles[] | undefined;
  /** Absent: Secrets are kept as they are. */
  encryption?: Encryption | undefined;
  critical: CriticalSettings;
}

/** What the servers of a cluster share through their database, as plain data. */
export interface K3sClusterState {
  id: string;
  /** The node that founded it. */
  founder: string;
  members: Member[];
  bootstrap: BootstrapData;
  /** A server that was neither told to found nor to join keeps its data for itself: nobody can join it. */
  isAlone: boolean;
  kube?: KubeState | undefined;
}

/** A server whose etcd runs. */
export interface RunningMember {
  memberId: string;
  journal: Journal;
  sinceMs: number;
  /** How it encrypts Secrets since it started. */
  encryption?: string | undefined;
}

/** What its store keeps time and makes names with. */
export interface ClusterWorld {
  clock: Clock;
  random: Random;
}

/** One K3s cluster: etcd's members, which of them run, and the Kubernetes objects all its API servers serve. */
export class K3sCluster {
  readonly signals = new Signals();
  /** By member id. */
  readonly running = new Map<string, RunningMember>();
  /** Addresses of servers whose Kubernetes API answers. */
  readonly apiServers = new Set<string>();
  /** Members that etcd would not let go, by id: it says so once. */
  readonly unremovable = new Set<string>();
  #vipHolder: string | undefined;
  readonly #state: K3sClusterState;
  readonly #saved: () => void;
  readonly #world: ClusterWorld;
  #store: KubeStore | undefined;

  constructor(state: K3sClusterState, world: ClusterWorld, saved: () => void) {
    this.#state = state;
    this.#world = world;
    this.#saved = saved;
  }

  get id(): string {
    return this.#state.id;
  }

  get founder(): string {
    return this.#state.founder;
  }

  get isAlone(): boolean {
    return this.#state.isAlone;
  }

  get bootstrap(): BootstrapData {
    return this.#state.bootstrap;
  }

  get members(): readonly Member[] {
    return this.#state.members;
  }

  get store(): KubeStore {
    if (this.#store === undefined) {
      this.#store = kubeStore(this.#state.kube, this.#world.clock, this.#world.random);
      this.#store.onChange(() => {
        this.signals.notify();
        this.#saved();
      });
    }
    return this.#store;
  }

  /** More than half of the voters run. */
  get hasQuorum(): boolean {
    return this.runningVoters().length * 2 > this.voters().length;
  }

  voters(): Member[] {
    return this.#state.members.filter((member) => !member.isLearner);
  }

  runningVoters(): Member[] {
    return this.voters().filter((member) => this.running.has(member.id));
  }

  /** The journal of whoever leads. */
  get leader(): RunningMember | undefined {
    const [first] = this.hasQuorum ? this.runningVoters() : [];
    return first && this.running.get(first.id);
  }

  memberById(id: string): Member | undefined {
    return this.#state.members.find((member) => member.id === id);
  }

  /** Why etcd takes nobody in now, in its own words. */
  whyNoLearner(): string | undefined {
    if (this.#state.members.some((member) => member.isLearner))
      return "etcdserver: too many learner members in cluster";
    // One that joins must be able to connect to all voters there are.
    return this.runningVoters().length < this.voters().length ? "etcdserver: unhealthy cluster" : undefined;
  }

  /** For servers that start from now on. */
  replaceTrust(trust: TrustFiles): void {
    const { bootstrap } = this;
    bootstrap.former = [bootstrap.trust, ...(bootstrap.former ?? [])];
    bootstrap.trust = trust;
    this.changed();
  }

  addMember(member: Member): void {
    this.#state.members.push(member);
    this.changed();
  }

  promote(id: string): void {
    const member = this.memberById(id);
    if (member !== undefined) member.isLearner = false;
    this.changed();
  }

  removeMember(id: string): void {
    this.#state.members = this.#state.members.filter((member) => member.id !== id);
    this.changed();
  }

  start(member: RunningMember): void {
    this.running.set(member.memberId, member);
    this.changed();
  }

  stop(memberId: string): void {
    this.running.delete(memberId);
    this.changed();
  }

  /** The shared address has one holder: true for whoever asks first while it has none. */
  takeVip(node: string): boolean {
    if (this.#vipHolder !== undefined) return false;
    this.#vipHolder = node;
    return true;
  }

  leaveVip(): void {
    this.#vipHolder = undefined;
    this.changed();
  }

  changed(): void {
    this.signals.notify();
    this.#saved();
  }

  view(): ClusterView {
    return {
      name: `K3s of ${this.founder}`,
      hasQuorum: this.hasQuorum,
      voters: this.voters().map(({ id, node, address }) => ({
        node,
        isServing: this.running.has(id) && this.apiServers.has(address),
      })),
      objects: (apiVersion, kind) => (this.#store ? objectsOf(this.#store, apiVersion, kind) : []),
    };
  }

  toJSON(): K3sClusterState {
    return { ...this.#state, kube: this.#store?.toJSON() ?? this.#state.kube };
  }
}
