import type { z } from "zod";
import type { ClusterDraft, FleetDraft } from "../complete/draft.ts";
import type { Node } from "../model/cluster.ts";
import type { Problem } from "../source/problem.ts";
import type { Cidr } from "../values/ipv4.ts";
import type { AddonDraft } from "./drafts.ts";
import type { AddonFacts, StorageClass } from "./model.ts";
import type { AddonVersion } from "./versions.ts";
import type { WrittenOptions } from "./written.ts";

/** What add-ons learn from the rest of their cluster. */
export interface AddonSurroundings {
  cluster: string;
  cidr: Cidr;
  nodes: Node[];
  kubernetes: string;
  isSchedulingOnControlPlanes: boolean | undefined;
  /** Whether the storage class called so is the default, given what the file says of it. */
  isDefaultClass(name: string, said: boolean | undefined): boolean;
}

/** A storage class as it was written, and where: paths are below the add-on's name. */
export interface WrittenClass extends Pick<StorageClass, "name" | "access"> {
  isDefault: boolean | undefined;
  path: (string | number)[];
  defaultPath: (string | number)[];
}

/** An add-on that stands beside another one. */
export interface VersionedAddon {
  facts: AddonFacts;
  version: string;
}

/**
 * What the cluster file may say of an add-on, and what follows from it. All of it is pure and cheap to load: every look
 * at a file needs it. How the add-on is installed stands elsewhere in its folder.
 */
export interface AddonKind<Written extends WrittenOptions = WrittenOptions, Options = unknown> {
  /** As the file writes it. */
  name: string;
  /** What may be written below its name. */
  schema: z.ZodType<Written>;
  /** The name of the user's own add-on: there may be several of this kind. Left out: it is called as its kind. */
  ownName?(written: Written): string;
  /** Its chart's name, where that is another one. */
  chartName?: string;
  /** It connects the pods, which can talk to each other only once it works. */
  isNetwork?: true;
  /** Newest first; the first that was tested with the cluster's Kubernetes is taken. None: the file says which. */
  versions: readonly AddonVersion[];
  /** The version that goes with the other add-ons of a cluster. Left out: what `versions` says. */
  versionBeside?(others: readonly VersionedAddon[]): string | undefined;
  /** With a Kubernetes that it was not tested with it does not run, and its own checks say so. */
  refusesUntested?: true;
  /** Its options with every default filled in. */
  complete(written: Written, around: AddonSurroundings): Options;
  storageClasses?(written: Written): WrittenClass[];
  /** Beside those that are known already: whose own it is, its storage classes, that it connects pods. */
  facts?(options: Options): AddonFacts;
  /** What is wrong with it where a file names it. */
  check?(own: AddonDraft<Written, Options>, draft: ClusterDraft, fleet: FleetDraft): Problem[];
  /** What is allowed, but probably not meant. */
  warn?(own: AddonDraft<Written, Options>, draft: ClusterDraft, fleet: FleetDraft): Problem[];
  /** The same for every cluster that was prepared for it, though another one may install it. */
  warnCluster?(draft: ClusterDraft): Problem[];
}

export const kindNamed = <Kind extends AddonKind>(kinds: readonly Kind[], name: string): Kind | undefined =>
  kinds.find((kind) => kind.name === name);
