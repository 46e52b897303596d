import type { Discovered, DistributionProposal } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";

/** The outside, as the clusters of a file reach it. */
export type OpenWorld = (fleet: Pick<Fleet, "clusters" | "hosts">) => World;

export interface ProposedFile {
  found: Discovered;
  cluster: ProposedCluster;
  /** Of machines that exist, after they were looked at. */
  machines?: LookedAt[] | undefined;
}

/** What a person wants of a first cluster. */
export interface ProposedCluster {
  name: string;
  distribution: DistributionProposal;
  controlPlanes: number;
  workers: number;
  sizes: Sizes;
  network: ProposedNetwork;
  /** Absent: the machines have theirs. */
  addresses?: Addresses | undefined;
}

export interface ProposedNetwork {
  cidr: string;
  gateway: string;
  lines: string[];
}

/** Where the machines of a first cluster answer. */
export interface Addresses {
  controlPlanes: string[];
  workers: string[];
  vip?: string | undefined;
}

/** What each machine gets. */
export interface Sizes {
  controlPlane: Size;
  worker: Size;
}

export interface Size {
  cores: number;
  memoryGiB: number;
  diskGiB: number;
}

/** What a file says of a machine that was looked at. */
export interface LookedAt {
  name: string;
  fields: string[];
  note?: string | undefined;
}
