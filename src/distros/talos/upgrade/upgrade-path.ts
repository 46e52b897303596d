import type { UpgradableVersion } from "../../../plan/index.ts";
import {
  parseVersion,
  talosMinorOf,
  talosMinors,
  talosOf,
  type Cluster,
  type TalosMinor,
} from "../../../spec/index.ts";

/**
 * From one version to another: there, allowed in one go, back (never allowed), or over minors that must not be left out,
 * with all versions on the way.
 */
export type UpgradePath =
  | { kind: "there" }
  | { kind: "direct" }
  | { kind: "back" }
  | { kind: "skips"; over: string[] };

/** Talos: only neighbouring minors are tested by its makers, each by way of the newest patch of the one before. */
export const talosPath = (from: string, to: string): UpgradePath =>
  pathOver(from, to, ({ newest }) => newest);

/** Kubernetes: API servers and kubelets of neighbouring minors know each other, others do not. */
export const kubernetesPath = (from: string, to: string): UpgradePath =>
  pathOver(from, to, ({ kubernetes }) => kubernetes);

/** Less than, equal to or greater than zero. A pre-release counts as its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => parseVersion(text));
  if (!a || !b) return 0;
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/** Whether nodes of this Talos take this Kubernetes; undefined where that Talos is not known. */
export function takesKubernetes(talos: string, kubernetes: string): boolean | undefined {
  const known = talosMinorOf(talos);
  const { minor = 0 } = parseVersion(kubernetes) ?? {};
  return known && minor >= known.oldestKubernetes && minor <= known.newestKubernetes;
}

function pathOver(from: string, to: string, versionOf: (known: TalosMinor) => string): UpgradePath {
  if (from === to) return { kind: "there" };
  if (compareVersions(from, to) > 0) return { kind: "back" };
  const [old, next] = [from, to].map((text) => parseVersion(text)?.minor ?? 0) as [number, number];
  if (next - old <= 1) return { kind: "direct" };
  const between = Array.from({ length: next - old - 1 }, (_, index) => old + 1 + index);
  return { kind: "skips", over: [...between.map((minor) => newestOf(minor, versionOf)), to] };
}

/** `1.12.11`; of a minor that nobody here knows, `1.38`. */
const newestOf = (minor: number, versionOf: (known: TalosMinor) => string): string =>
  talosMinors.map(versionOf).findLast((version) => parseVersion(version)?.minor === minor) ?? `1.${minor}`;

/** What a cluster can be brought to from what it runs: Talos first, since it decides which Kubernetes there may be. */
export const upgradesOf = (cluster: Cluster): UpgradableVersion[] => [
  {
    name: "talos",
    toldAs: "release",
    title: "Talos",
    path: ["talos", "version"],
    wanted: talosOf(cluster).version,
    known: talosMinors.map(({ newest: version }) => version),
    compare: compareVersions,
    newestAfter: ({ talos, kubernetes }) =>
      newest(
        talosMinors
          .map(({ newest: version }) => version)
          .filter((version) => talos !== undefined && talosPath(talos, version).kind === "direct")
          .filter((version) => kubernetes === undefined || takesKubernetes(version, kubernetes) !== false),
      ),
  },
  {
    name: "kubernetes",
    toldAs: "kubernetes",
    title: "Kubernetes",
    path: ["kubernetes"],
    wanted: cluster.kubernetes,
    known: talosMinors.map(({ kubernetes: version }) => version),
    compare: compareVersions,
    newestAfter: ({ kubernetes }, { talos = talosOf(cluster).version }) =>
      newest(
        talosMinors
          .map(({ kubernetes: version }) => version)
          .filter(
            (version) => kubernetes !== undefined && kubernetesPath(kubernetes, version).kind === "direct",
          )
          .filter((version) => takesKubernetes(talos, version) !== false),
      ),
  },
];

const newest = (versions: string[]): string | undefined => versions.toSorted(compareVersions).at(-1);
