import type { ErrorData } from "../errors/index.ts";
import type { Cluster, Host, Node, Role } from "../spec/index.ts";
import type { Check } from "./check.ts";
import type { Consoles } from "./console.ts";
import type { StepId } from "./events.ts";
import type { Graph } from "./graph.ts";
import type { AnyResource, ReadContext } from "./resource.ts";
import type { RunNotes } from "./run-notes.ts";

/** A machine that carries our mark, as the hypervisor tells it. */
export interface OwnedMachine {
  cluster: string;
  node: string;
  role: Role;
  /** Name of the host in the file on which it was found. */
  host: string;
  /** The hypervisor's own name for where it is; somebody may have moved it to a place the file does not name. */
  on: string;
  vmid: number;
  isRunning: boolean;
  /** File name of the image it was made from. */
  image: string;
  memoryMiB: number;
  cores: number;
  dataDisksGiB: number[];
  /** Those of its data disks that outlive it. */
  keptDisks: { index: number; sizeGiB: number; volume: string }[];
  /** The hypervisor itself refuses to remove it. */
  isProtected: boolean;
  /** The hypervisor keeps it running by itself, and answers for its power. */
  isHaManaged?: true;
  /** That it does was asked for in the cluster file once, not set by hand. */
  isProtectedByFile?: true;
}

/** A template that carries our mark. Its key says what it was made from. */
export interface OwnedTemplate {
  host: string;
  /** The Proxmox node it is on. */
  on: string;
  vmid: number;
  role: Role;
  key: string;
  /** File name of the image it was made from. */
  image: string;
  /** Machines, also of others, whose disks share its blocks and fall with it. */
  clones: number[];
  /** Somebody has told the hypervisor to refuse its removal. */
  isProtected?: true;
}

/** A data disk that was set aside when its machine went. */
export interface KeptDisk {
  cluster: string;
  node: string;
  host: string;
  /** Among the data disks of its node, from 0. */
  index: number;
  sizeGiB: number;
  for?: string;
  /** The hypervisor's own name for where it lies. */
  on: string;
  /** VMID of the shelf that holds it. */
  shelf: number;
  volume: string;
}

/** Something of ours that holds data disks while their machines are gone. */
export interface OwnedShelf {
  cluster: string;
  host: string;
  on: string;
  vmid: number;
  isEmpty: boolean;
}

/** What a removal takes along beside machines. */
export interface Fate {
  /** Data disks go with their machines, and those already set aside go too. */
  losesData: boolean;
  /** Clusters whose shelves are looked at. */
  clusters: string[];
  /** They leave for good, with all that was made for them and is no machine. */
  areLeaving?: boolean;
}

/** Why a machine cannot be removed, and what a person can do about it. */
export interface Hindrance {
  machine: OwnedMachine;
  why: string;
  next: string;
}

/** What the host knows of a machine that does not do its work. */
export interface MachineExam {
  machine: OwnedMachine;
  /** The short answer to "who stopped it?": a host, a person, the guest itself. Absent while it runs. */
  stoppedBy?: string;
  /** In a few words what that is read from. */
  evidence: string;
  /** What is wrong with it, as far as the host can tell. Machines that share a cause share the error. */
  error?: ErrorData;
}

/** A snapshot of a machine of ours, whoever took it. */
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
export interface SilentHost {
  host: string;
  error: ErrorData;
}

/** A machine with a cluster's tag on a node of the hypervisors that does not answer: nobody can look at it. */
export interface AwayMachine {
  cluster: string;
  /** Empty where its cluster of hypervisors has forgotten it. */
  name: string;
  on: string;
  vmid: number;
}

/** What a host offers and already gives away. */
export interface HostFacts {
  host: string;
  /** The same for hosts that form one cluster of hypervisors, under whatever address each is asked. */
  realm: string;
  /** `Proxmox VE 9.2.1`. */
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
  templates: OwnedTemplate[];
  keptDisks: KeptDisk[];
  shelves: OwnedShelf[];
  silent: SilentHost[];
  away?: AwayMachine[];
  /** Places that were looked at, also those the file does not name. */
  places?: string[];
  /** VMIDs in use by anybody, per host. */
  takenVmids: Map<string, Set<number>>;
  hosts: HostFacts[];
}

/** What is done to machines that exist, beside making and changing them. */
export type RightsFor = "snapshots" | "rollback" | "removal";

/** A node and the host it goes to. */
export interface PlacedNode<H extends Host = Host> {
  node: Node;
  host: H;
  vmid: number;
  /** Where its machine is, when that is a place the file does not name; `host` then only answers for it. */
  on?: string;
}

/** What a provider must know of the rest of the plan to describe machines. */
export interface MachineNeeds {
  survey: Survey;
  /** A number that nobody else has or is about to get, at or after `from`. */
  takeVmid(host: Host, from: number): number;
  /** The step after which the system of a node stands on its own disk. */
  installedStep(node: string): StepId;
  /** The step after which everything is known that travels on the seeds of new machines; absent: nothing is waited for. */
  seedStep?: StepId;
}

/** What a hypervisor family must offer. `providers/contract.ts` says when one is done. */
export interface Provider<H extends Host = Host> {
  /** The kinds of things it can make, each knowing how to read and make them. */
  resources: AnyResource[];
  survey(ctx: ReadContext, hosts: H[]): Promise<Survey>;
  /** Images and machines of a cluster, as graph nodes. */
  describe(cluster: Cluster, placed: PlacedNode<H>[], needs: MachineNeeds): Graph;
  /** Nodes for what carries the cluster's mark but is not wanted any more, or for all of it when it goes. */
  describeLeftovers(
    survey: Survey,
    isUnwanted: (machine: OwnedMachine) => boolean,
    keepImages: Set<string>,
    fate?: Fate,
  ): Graph;
  /** What would keep these machines from being removed with their data disks set aside. Changes nothing. */
  hindrances(ctx: ReadContext, machines: OwnedMachine[]): Promise<Hindrance[]>;
  /** Why machines stand still, or run and cannot work, as their hosts know it. Reads only. */
  examine(ctx: ReadContext, machines: OwnedMachine[], survey: Survey): Promise<MachineExam[]>;
  /** What is left on the hosts of things that were removed, each named: disks, entries elsewhere. */
  remains(ctx: ReadContext, hosts: H[], removed: { host: string; vmid: number }[]): Promise<string[]>;
  /**
   * Removals of templates of ours that none of the staying clusters is made from. Those whose blocks machines share
   * stay, unless these machines leave too.
   */
  describeOldTemplates(
    ctx: ReadContext,
    survey: Survey,
    staying: { hosts: H[]; clusters: Cluster[] },
    leaving: Graph,
  ): Graph;
  /** A snapshot of each of these machines, as graph nodes; the oldest of ours beyond `keep` make room. */
  describeSnapshots(machines: OwnedMachine[], snapshot: { name: string; keep?: number }): Graph;
  /** Stops them, rolls them back, starts them: each part for all of them before the next. */
  describeRollback(machines: OwnedMachine[], snapshot: string): Graph;
  /** Which of these machines can have no snapshots, and why. */
  snapshotHindrances(ctx: ReadContext, machines: OwnedMachine[]): Promise<Hindrance[]>;
  /** Throws when whoever we are there may not do this to one of the machines. */
  demandRights(ctx: ReadContext, machines: OwnedMachine[], what: RightsFor): Promise<void>;
  listSnapshots(ctx: ReadContext, machines: OwnedMachine[]): Promise<MachineSnapshot[]>;
  /** File names of the images these clusters are made from. */
  imagesOf(clusters: Cluster[]): string[];
  /** What must be true before anything is changed. `all` are the nodes of every cluster of the run. */
  preflight(
    cluster: Cluster,
    placed: PlacedNode<H>[],
    survey: Survey,
    all?: ReadonlyMap<string, PlacedNode<H>[]>,
  ): Check[];
  /** Step id of the machine of a node, for edges to it. */
  machineStep(cluster: string, node: string): string;
  consoles: Consoles;
  /** Where runs on other machines see that somebody works on a cluster. */
  notes: RunNotes<H>;
}
