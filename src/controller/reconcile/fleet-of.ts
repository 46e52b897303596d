import path from "node:path";
import { SlipwayError } from "../../errors/index.ts";
import { loadFleetData } from "../../operations/index.ts";
import type { Cluster, Fleet, Problem } from "../../spec/index.ts";
import { hostsMissing, objectInvalid } from "../errors.ts";
import type { SlipwayCluster, SlipwayHosts } from "../objects/index.ts";
import { documentSourceOf } from "./secrets/documents.ts";
import { refuseLocalNames, resolveRefs, type ReadSecret } from "./secrets/secret-refs.ts";

/** All clusters of one SlipwayHosts as one fleet: they share addresses, numbers and images, and are checked against each other. */
export interface HostGroup {
  hosts: SlipwayHosts;
  /** Those that nothing is wrong with; hosts that no cluster is on are left out. */
  fleet: Fleet;
  /** What is wrong with the others, and with the hosts. */
  problems: ReadonlyMap<string, SlipwayError>;
}

export interface GroupOptions {
  hosts: SlipwayHosts;
  clusters: readonly SlipwayCluster[];
  readSecret: ReadSecret;
  /** Whom files of clusters with documents are closed to, or why that cannot be told; absent where no cluster has any. */
  documentKeys?: Settled<{ recipient: string }> | undefined;
  /** Where its files lie; the cluster file in it is never written. */
  folder: string;
}

/** Changes when an object of the group says something else. */
export const groupVersion = (hosts: SlipwayHosts, clusters: readonly SlipwayCluster[]): string =>
  [hosts, ...clusters]
    .map(({ metadata }) => `${metadata.uid ?? ""}:${metadata.generation ?? 0}`)
    .toSorted()
    .join();

/** One cluster with a mistake does not keep the others from being looked after; of two that want the same address the older has it. */
export async function loadGroup(options: GroupOptions): Promise<HostGroup> {
  const { hosts, clusters, readSecret, folder } = options;
  const file = path.join(folder, "cluster.yaml");
  const problems = new Map<string, SlipwayError>();
  const written = new Map<string, unknown>();
  const hostData = await readHosts(hosts, readSecret, folder);
  for (const object of clusters.toSorted(byAge)) {
    const { name } = object.metadata;
    const found = await settled(() => readCluster(object, options));
    if ("error" in found) problems.set(name, found.error);
    else written.set(name, found.value);
  }
  for (;;) {
    const data = { version: 1, hosts: hostData, clusters: Object.fromEntries(written) };
    const loaded = await loadFleetData(data, file);
    if ("fleet" in loaded) return { hosts, fleet: loaded.fleet, problems };
    const wrong = clustersIn(loaded.problems, written);
    const ofHosts = loaded.problems.filter(({ code }) => code !== "SPEC_EMPTY");
    if (ofHosts.length === 0) return { hosts, fleet: { file, hosts: [], clusters: [] }, problems };
    if (wrong.size === 0) throw objectInvalid(`SlipwayHosts "${hosts.metadata.name}"`, ofHosts);
    for (const [name, found] of wrong) {
      problems.set(name, objectInvalid(`SlipwayCluster "${name}"`, found));
      written.delete(name);
    }
  }
}

/** The cluster of an object, with the fleet it is part of; throws what is wrong with it. */
export function clusterIn(group: HostGroup, { metadata }: SlipwayCluster): Cluster | SlipwayError {
  const problem = group.problems.get(metadata.name);
  if (problem) return problem;
  const found = group.fleet.clusters.find(({ name }) => name === metadata.name);
  return found ?? hostsMissing({ cluster: metadata.name, hosts: group.hosts.metadata.name });
}

const byAge = (a: SlipwayCluster, b: SlipwayCluster): number =>
  compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
  compare(a.metadata.name, b.metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const readHosts = async ({ spec }: SlipwayHosts, read: ReadSecret, folder: string): Promise<unknown> =>
  readPart(spec.hosts, "spec.hosts", read, folder);

/** What the controller writes for a cluster with documents is closed as they are. */
async function readCluster(
  object: SlipwayCluster,
  { readSecret, folder, documentKeys }: GroupOptions,
): Promise<unknown> {
  const written = await readPart(object.spec.cluster, "spec.cluster", readSecret, folder);
  if (!documentSourceOf(object) || !documentKeys || typeof written !== "object") return written;
  if ("error" in documentKeys) throw documentKeys.error;
  return { secrets: { encryption: "age", recipients: [documentKeys.value.recipient] }, ...written };
}

function readPart(part: unknown, at: string, read: ReadSecret, folder: string): Promise<unknown> {
  refuseLocalNames(part, at);
  return resolveRefs(part, at, read, folder);
}

export type Settled<T> = { value: T } | { error: SlipwayError };

/** What is wrong, as a value; anything else is thrown on. */
export async function settled<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return { error: thrown };
  }
}

/** Problems by the cluster they stand in. Where two clusters collide, the one that came later is told. */
function clustersIn(problems: readonly Problem[], written: Map<string, unknown>): Map<string, Problem[]> {
  const found = new Map<string, Problem[]>();
  for (const problem of problems) {
    const [section, name = ""] = (problem.position.path ?? "").split(/[.[]/);
    if (section === "clusters" && written.has(name)) found.set(name, [...(found.get(name) ?? []), problem]);
  }
  return found;
}
