import type { ErrorData } from "../../errors/index.ts";
import type { Cluster, Host, Node } from "../../spec/index.ts";
import type { Check } from "../check.ts";
import type { Consoles } from "./console.ts";
import type { FoundArchive, MachineBackups } from "./machine-backups.ts";
import type { MachineUsage, OwnedMachine, RemovalBlocker } from "./owned-machine.ts";
import type { StepId } from "../events.ts";
import type { Graph, GraphNode, AnyResource, OwnSurvey, ReadContext } from "../resource.ts";
import type { RunNotes } from "./run-notes.ts";
import type { TerraformBlock } from "./terraform.ts";

/** A data disk that was set aside when its machine went. */
export interface KeptDisk {
  cluster: string;
  node: string;
  host: string;
  /** Among the data disks of its node, from 0. */
  index: number;
  sizeGiB: number;
  for?: string | undefined;
  /** The hypervisor's own name for where it lies. */
  on: string;
  /** The number of its holder, where holders have one. */
  holder?: number;
  volume: string;
}

/** What holds the kept disks of a cluster in one place. */
export interface KeptDisksHolder {
  cluster: string;
  host: string;
  on: string;
  id?: number;
  isEmpty: boolean;
}

/** What a removal takes along beside machines. */
export interface RemovalScope {
  /** Data disks go with their machines, and those already set aside go too. */
  losesData: boolean;
  /** Clusters whose kept disks are looked at. */
  clusters: string[];
  /** They leave for good, with all that was made for them and is no machine. */
  areLeftovers?: boolean;
}

/** What the host knows of a machine that does not do its work. */
export interface MachineInspection {
  machine: OwnedMachine;
  /** The short answer to "who stopped it?": a host, a person, the guest itself. Absent while it runs. */
  stoppedBy?: string | undefined;
  /** In a few words what that is read from. */
  evidence: string;
  /** What is wrong with it, as far as the host can tell. Machines that share a cause share the error. */
  error?: ErrorData | undefined;
}

/** A snapshot of a machine of ours, also one that Slipway did not take. */
export interface MachineSnapshot {
  cluster: string;
  node: string;
  name: string;
  description: string;
  /** As ISO 8601, in UTC. */
  takenAt: string;
  isOurs: boolean;
}

/** A host that could not be asked, and why. */
export interface UnreachableHost {
  host: string;
  error: ErrorData;
}

/** A machine with a cluster's tag on a node of the hypervisors that does not answer: it cannot be inspected. */
export interface AwayMachine {
  cluster: string;
  /** Empty where its cluster of hypervisors has forgotten it. */
  name: string;
  on: string;
  id?: number;
}

/** What a host offers and already gives away. */
export interface HostFacts {
  host: string;
  /** The same for hosts that form one cluster of hypervisors, under whatever address each is asked. */
  realm: string;
  /** Name and version, as a person says it. */
  software: string;
  cores: number;
  memoryMiB: number;
  memoryUsedMiB: number;
  /** To machines that run, whoever's they are, and to those of ours that will. */
  memoryPromisedMiB: number;
  coresPromised: number;
  storages: { name: string; freeGiB: number; totalGiB: number; type?: string; isShared?: boolean }[];
}

/** One look at all hosts: whose machines are where, and what is free. */
export interface Survey {
  machines: OwnedMachine[];
  /** Images of ours that lie on a host. */
  images: { host: string; storage: string; file: string }[];
  keptDisks: KeptDisk[];
  keptDisksHolders: KeptDisksHolder[];
  unreachable: UnreachableHost[];
  away?: AwayMachine[];
  /** Machines that were made again elsewhere while their host was lost: never started, only removed. */
  fenced?: OwnedMachine[];
  /** Nodes whose machine is a certain one, which was found empty: no other can be theirs. */
  emptied?: string[];
  /** Places that were looked at, also those the file does not name. */
  places?: string[];
  hosts: HostFacts[];
  /** What only the provider that saw it understands. */
  own?: OwnSurvey | undefined;
}

/**
 * Our machines as the lists of the hosts tell them, without a look at each: a survey that was made when it was the same is still
 * worth something.
 */
export interface Outline {
  /** `line` is another one when the machine was moved, stopped or resized. */
  machines: { cluster: string; host: string; line: string }[];
  unreachable: UnreachableHost[];
}

/** What is done to machines that exist, beside making and changing them. */
export type RightsFor = "snapshots" | "rollback" | "removal" | "moves" | "backups";

/** A node and the host it goes to. */
export interface PlacedNode<H extends Host = Host> {
  node: Node;
  host: H;
  /** The number its machine has or will have, where machines have numbers. */
  id?: number | undefined;
  /** Where its machine is, when that is a place the file does not name; `host` then only answers for it. */
  on?: string;
  /** It is made again: nothing of an old machine is used but its data. */
  isMadeAgain?: true;
  /** Hosts that are lost, where its machine is made again. */
  insteadOf?: string[];
}

/** Numbers for what one plan makes, where the hypervisor goes by numbers: each is given once. */
export interface MachineIds {
  /** For the machine of a node that has none yet. Undefined: machines go by their names there. */
  forNode(node: Node, host: Host): number | undefined;
  /**
   * For what clusters of the plan may share, at or after `from`: the same thing on the same host has the same number,
   * whoever asks.
   */
  forShared(thing: string, host: Host, from: number): number;
}

/** What a provider must know of the rest of the plan to describe machines. */
export interface MachineNeeds {
  survey: Survey;
  /** The nodes of every cluster of the plan. */
  all: PlacedNode[];
  ids: MachineIds;
  /** The step after which the system of a node stands on its own disk. */
  installedStep(node: string): StepId;
  /** The step after which everything is known that travels on the seeds of new machines; absent: nothing is waited for. */
  seedStep?: StepId;
  /** What the config on the seed of a new machine is rendered from, where there is one; plain data. */
  firstConfig?(node: string): unknown;
  /** The backup that the machine of a node is made again from, where it is. */
  archiveOf?(node: string): FoundArchive | undefined;
}

/** What only some hypervisors can do. Whoever needs one of these asks whether it is there. */
export interface Capabilities<H extends Host = Host> {
  /** Machines have numbers. */
  machineIds(survey: Survey, clusters: Cluster[]): MachineIds;
  /**
   * Removals of what machines of ours were made from, where none of the staying clusters is made from it. What machines
   * still share blocks with stays, unless these machines leave too.
   */
  describeOldBootSources(
    ctx: ReadContext,
    survey: Survey,
    staying: { hosts: H[]; clusters: Cluster[] },
    leftovers: Graph,
  ): Graph;
  snapshots: Snapshots;
  /** What these machines use right now, as far as it is told. Never fails for a host that does not answer. */
  usage(ctx: ReadContext, machines: OwnedMachine[]): Promise<MachineUsage[]>;
  machineBackups: MachineBackups;
  /** These machines as Terraform would describe them, with all it takes to import them. Changes nothing. */
  terraform(ctx: ReadContext, machines: OwnedMachine[]): Promise<TerraformBlock[]>;
  moves: Moves<H>;
  /** Clusters have accounts of their own on their hypervisors. */
  accounts: Accounts;
  /** What would keep these machines from being removed with their data disks set aside. Changes nothing. */
  removalBlockers(ctx: ReadContext, machines: OwnedMachine[]): Promise<RemovalBlocker[]>;
  /** Throws when whoever we are there may not do this to one of the machines. Absent: who is let in may do everything. */
  demandRights(
    ctx: ReadContext,
    machines: OwnedMachine[],
    what: RightsFor,
    /** Where backups go. */
    storage?: string,
  ): Promise<void>;
}

export interface Snapshots {
  /** A snapshot of each of these machines, as graph nodes; the oldest of ours beyond `keep` make room. */
  describe(machines: OwnedMachine[], snapshot: { name: string; keep?: number }): Graph;
  /** Stops them, rolls them back, starts them: each part for all of them before the next. */
  describeRollback(machines: OwnedMachine[], snapshot: string): Graph;
  /** Which of these machines can have none, and why. */
  blockers(ctx: ReadContext, machines: OwnedMachine[]): Promise<RemovalBlocker[]>;
  list(ctx: ReadContext, machines: OwnedMachine[]): Promise<MachineSnapshot[]>;
}

/** What forbids a move, and what a person can do about it. */
export interface MoveBlocker {
  why: string;
  next: string;
}

/**
 * `live`: it runs, and goes on running while it moves. `off`: it is off, and stays so. `restarts`: it runs, is off for as long as
 * its disks take to be copied, and starts there. `resumes`: it is away because an earlier run was cut, and comes back.
 */
export type MoveWay = "live" | "off" | "restarts" | "resumes";

export interface CopiedDisk {
  storage: string;
  sizeGiB: number;
}

/** How a machine could leave the host it is on. */
export interface MoveOutlook {
  machine: OwnedMachine;
  way: MoveWay;
  /** Disks that only its host has: they are copied along. */
  disks: CopiedDisk[];
  /** The same by the name of single hosts, where it is not the same for all: in other storages, with what they stand on. */
  disksTo?: Record<string, CopiedDisk[]>;
  /** What forbids it wherever it should go. */
  blockers: MoveBlocker[];
  /** What speaks against single hosts, by their name; completes "HOST …": `has no bridge "vmbr1"`. */
  against: Record<string, string>;
  /** What may go wrong on single hosts, by their name. */
  doubts: Record<string, string>;
}

/** A machine and the host it goes to. */
export interface Move {
  outlook: MoveOutlook;
  to: Host;
}

/** Something on a host that stays there whatever we move. */
export interface StayingGuest {
  name: string;
  id?: number | undefined;
  kind: "machine" | "container" | "template" | "kept disks";
  isRunning: boolean;
}

/** Machines can leave their host for another. */
export interface Moves<H extends Host = Host> {
  /** Moves from or to the host that an earlier run has begun, where the machine stands in its new place already. */
  begun?(host: H, survey: Survey): Move[];
  /** Changes nothing. */
  outlook(ctx: ReadContext, machines: OwnedMachine[], hosts: H[], survey: Survey): Promise<MoveOutlook[]>;
  /** All that is on the host beside machines of ours. */
  staying(ctx: ReadContext, host: H, survey: Survey): Promise<StayingGuest[]>;
  /** A step for each, without an order among them. */
  describe(moves: Move[]): Graph;
}

export interface Accounts {
  /** Those of a graph that was described. */
  among(graph: Graph): Graph;
  /** The same, each with a new token. */
  rotated(graph: Graph): Graph;
}

/** A kind of hypervisors, and how a session with some of them is opened. */
export interface ProviderFamily<H extends Host = Host> {
  /** The hosts of the file that are its own. */
  kind: H["provider"];
  /** A session with all hosts that graphs and surveys may name. Nobody is asked yet. */
  open(hosts: readonly H[]): Provider<H>;
}

/**
 * A session with hypervisors of one family. No call depends on another having been made before it: a survey is handed on
 * by whoever asked for it, and what a step needs stands in its `want`, so another process may carry out what this one
 * has planned.
 */
export interface Provider<H extends Host = Host> extends Partial<Capabilities<H>> {
  /** The kinds of things it can make, each knowing how to read and make them. */
  resources: AnyResource[];
  survey(ctx: ReadContext, hosts: H[]): Promise<Survey>;
  /** Absent: it would cost as much as a survey. */
  outline?(ctx: ReadContext, hosts: H[]): Promise<Outline>;
  /** Images and machines of a cluster, as graph nodes. */
  describe(cluster: Cluster, placed: PlacedNode<H>[], needs: MachineNeeds): Graph;
  /**
   * Nodes for what carries the cluster's mark but is not wanted any more, or for all of it when it goes. `planned` is
   * what comes in the same run.
   */
  describeLeftovers(
    survey: Survey,
    isUnwanted: (machine: OwnedMachine) => boolean,
    keepImages: Set<string>,
    removalScope?: RemovalScope,
    planned?: Graph,
  ): Graph;
  /** Why machines stand still, or run and cannot work, as their hosts know it. Reads only. */
  inspect(ctx: ReadContext, machines: OwnedMachine[], survey: Survey): Promise<MachineInspection[]>;
  /** What is left on the hosts of things that were removed, each named: disks, entries elsewhere. */
  findLeftovers(ctx: ReadContext, hosts: H[], removed: GraphNode[]): Promise<string[]>;
  /** File names of the images these clusters are made from. */
  imagesOf(clusters: Cluster[]): string[];
  /** What must be true before anything is changed. `all` are the nodes of every cluster of the run. */
  preflight(
    cluster: Cluster,
    placed: PlacedNode<H>[],
    survey: Survey,
    all?: ReadonlyMap<string, PlacedNode<H>[]>,
  ): Check[];
  /** Absent: its machines have none that could be read. */
  consoles?: Consoles;
  /** Where runs on other machines see that somebody works on a cluster. Absent: nowhere. */
  notes?: RunNotes<H>;
}
