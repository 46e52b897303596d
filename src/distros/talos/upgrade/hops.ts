import type { MachineSteps } from "../../../plan/index.ts";
import { parseVersion, talosOf, type Cluster } from "../../../spec/index.ts";
import { unlessUnreachable } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import {
  compareVersions,
  kubernetesPath,
  takesKubernetes,
  talosPath,
  type UpgradePath,
} from "./upgrade-path.ts";

export interface ClusterVersions {
  talos: string;
  kubernetes: string;
}

/** One version that a cluster goes to as a whole, and the one it has when that begins. */
export interface Hop {
  part: keyof ClusterVersions;
  version: string;
  from?: string | undefined;
}

/**
 * All versions from those that run to those that are wanted, one after the other: no minor is left out, and Kubernetes fits
 * Talos at any time. Talos goes first wherever it can. Ends with both wanted versions in any case; where no such way is
 * known, these are all there is, and what the nodes run speaks against them.
 */
export function hopsBetween(running: ClusterVersions | undefined, wanted: ClusterVersions): Hop[] {
  const plain: Hop[] = [
    { part: "talos", version: wanted.talos },
    { part: "kubernetes", version: wanted.kubernetes },
  ];
  if (!running) return plain;
  const now = { ...running };
  const hops: Hop[] = [];
  for (;;) {
    const talos = nextOn(talosPath(now.talos, wanted.talos), wanted.talos);
    const kubernetes = nextOn(kubernetesPath(now.kubernetes, wanted.kubernetes), wanted.kubernetes);
    if (talos === undefined && kubernetes === undefined) break;
    const hop: Hop | undefined =
      talos !== undefined && takesKubernetes(talos, now.kubernetes) !== false
        ? { part: "talos", version: talos, from: now.talos }
        : kubernetes !== undefined && takesKubernetes(now.talos, kubernetes) !== false
          ? { part: "kubernetes", version: kubernetes, from: now.kubernetes }
          : undefined;
    if (!hop || !parseVersion(hop.version)) return plain;
    hops.push(hop);
    now[hop.part] = hop.version;
  }
  const missing = (of: Hop["part"]): Hop[] =>
    plain.filter(({ part }) => part === of && !hops.some((hop) => hop.part === of));
  return [...missing("talos"), ...hops, ...missing("kubernetes")];
}

/** Whether there is more on the way than the versions of the file, or these in another order. */
export const isRoundabout = ([first, ...more]: Hop[]): boolean =>
  more.length > 1 || first?.part === "kubernetes";

/** Undefined where it is reached, or behind. */
const nextOn = (path: UpgradePath, wanted: string): string | undefined =>
  path.kind === "direct" ? wanted : path.kind === "skips" ? path.over[0] : undefined;

/** The way of a cluster to what the file says. */
export async function findHops(
  access: TalosAccess,
  cluster: Cluster,
  machines: MachineSteps,
): Promise<Hop[]> {
  const wanted = { talos: talosOf(cluster).version, kubernetes: cluster.kubernetes };
  return hopsBetween(await oldestVersions(access, cluster, machines), wanted);
}

/**
 * The oldest that run on any node, as Kubernetes knows them. It only tells which steps there may be: each of them asks the
 * nodes themselves whether it is due.
 */
async function oldestVersions(
  access: TalosAccess,
  { name, endpoint }: Cluster,
  { existing }: MachineSteps,
): Promise<ClusterVersions | undefined> {
  if (existing.length === 0 || !(await access.findBundle(name))) return undefined;
  const limits = { clock: access.world.clock, signal: new AbortController().signal };
  const nodes = await unlessUnreachable(limits, async (limit) =>
    (await access.kube(name, endpoint)).nodes(limit),
  );
  const known = new Set(existing);
  const infos = (nodes ?? []).flatMap(({ metadata, status }) =>
    known.has(metadata.name) ? (status?.nodeInfo ?? []) : [],
  );
  const oldest = (versions: (string | undefined)[]): string | undefined =>
    versions
      .flatMap((version) => (version !== undefined && parseVersion(version) ? version : []))
      .toSorted(compareVersions)[0];
  const talos = oldest(infos.map(({ osImage }) => /\(v(\S+)\)/.exec(osImage)?.[1]));
  const kubernetes = oldest(infos.map(({ kubeletVersion }) => kubeletVersion.replace(/^v/, "")));
  return talos !== undefined && kubernetes !== undefined ? { talos, kubernetes } : undefined;
}
