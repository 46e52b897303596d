/**
 * What a picture shows, before anybody has decided how it looks: plain data, which `--format json` writes as it is. A field
 * that is not known is left out.
 */
export type Diagram = TopologyDiagram | NetworkDiagram | StepsDiagram;

export const views = ["topology", "network", "steps"] as const;
export type View = (typeof views)[number];

export const sources = ["file", "plan", "cluster"] as const;
/** Where it was read: the file alone, the plan, or what really exists. */
export type Source = (typeof sources)[number];

export const formats = ["svg", "mermaid", "d2", "json"] as const;
export type Format = (typeof formats)[number];

/** What a plan would do with a thing. */
export type PlanMark = "create" | "change" | "replace" | "remove" | "refused" | "same";
/** How a thing was found. */
export type StateMark = "ready" | "not-ready" | "unreachable" | "stopped" | "missing" | "leftover";
export type Mark = PlanMark | StateMark;

interface AnyDiagram {
  from: Source;
  /** The clusters that are shown, by name. */
  shown: string[];
}

/** What runs where. */
export interface TopologyDiagram extends AnyDiagram {
  view: "topology";
  clusters: TopologyCluster[];
}

export interface TopologyCluster {
  name: string;
  /** `Talos 1.13.9 · Kubernetes 1.36.3`. */
  software: string;
  /** Where the Kubernetes API is reached; absent where no Kubernetes is set up. */
  endpoint?: string | undefined;
  /** The address that moves between control planes. */
  vip?: string | undefined;
  /** Of the machines' first NICs. */
  network?: NetworkFacts | undefined;
  addons: MarkedAddon[];
  hosts: TopologyHost[];
  mark?: Mark | undefined;
  note?: string | undefined;
}

export interface MarkedAddon {
  name: string;
  mark?: Mark;
  note?: string | undefined;
}

export interface TopologyHost {
  name: string;
  /** `Proxmox VE 9.2.1` where it was asked, else the kind that the file says. */
  software: string;
  machines: Machine[];
  mark?: Mark;
  note?: string;
}

export type MachineRole = "control-plane" | "worker";

export interface Machine {
  name: string;
  role: MachineRole;
  /** Machines of one pool are alike. */
  pool: string;
  address?: string | undefined;
  vmid?: number | undefined;
  cores?: number;
  memoryMiB?: number | undefined;
  diskGiB?: number;
  dataDisks: { sizeGiB: number; for?: string | undefined }[];
  mark?: Mark | undefined;
  note?: string | undefined;
}

/** Which addresses are on which wire. */
export interface NetworkDiagram extends AnyDiagram {
  view: "network";
  networks: Network[];
  machines: NetworkMachine[];
}

export interface NetworkFacts {
  /** A bridge, or whatever else the NICs are plugged into: `vmbr0`, `NAT network lab`. */
  bridge: string;
  vlan?: number | undefined;
  subnet?: string | undefined;
  gateway?: string | undefined;
  dns: string[];
  mtu?: number | undefined;
}

export interface Network extends NetworkFacts {
  id: string;
  /** Addresses that belong to no machine: VIPs, and ranges for services of type LoadBalancer. */
  shared: SharedAddress[];
}

export interface SharedAddress {
  cluster: string;
  /** `VIP`, or the add-on that gives the addresses to services. */
  name: string;
  address: string;
  /** The last of a range. */
  to?: string | undefined;
}

export interface NetworkMachine extends Pick<Machine, "name" | "role" | "pool" | "mark" | "note"> {
  cluster: string;
  host: string;
  nics: MachineNic[];
}

export interface MachineNic {
  /** The id of a network. */
  network: string;
  /** Counted from 1, as the machine has them. VLANs that the node tags itself are on top of one. */
  nic: number;
  /** `DHCP` where a server gives it. */
  address?: string | undefined;
  mac?: string | undefined;
  /** It is joined with others: `active-backup`. */
  bond?: string | undefined;
}

/** What is done in which order. */
export interface StepsDiagram extends AnyDiagram {
  view: "steps";
  steps: Step[];
}

export interface Step {
  id: string;
  /** `Create machine cp-1`. */
  title: string;
  /** What one of its kind is called, and several: `machine`, `machines`. */
  noun: string;
  plural: string;
  /** What it is about within its kind: `cp-1`. */
  label: string;
  cluster: string;
  host?: string | undefined;
  node?: string | undefined;
  /** Steps that have to be done before it. */
  after: string[];
  mark?: PlanMark | undefined;
  note?: string | undefined;
  usualMs?: number | undefined;
}
