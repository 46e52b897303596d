import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { isTalos, talosOf } from "../../model/distribution-kinds.ts";
import type { Problem } from "../../source/problem.ts";
import {
  defaultTalos,
  parseVersion,
  talosMinorOf,
  talosMinors,
  type TalosMinor,
} from "../../values/versions.ts";

/** Talos and Kubernetes must be known, and known to work together. */
export function checkVersions({ clusters }: FleetDraft): Problem[] {
  return clusters
    .filter(({ cluster }) => isTalos(cluster))
    .flatMap((draft) => {
      const known = talosMinorOf(talosOf(draft.cluster).version);
      return known ? kubernetesFor(draft, known) : [unknownTalos(draft)];
    });
}

function unknownTalos({ cluster, document, path }: ClusterDraft): Problem {
  const { version } = talosOf(cluster);
  const oldest = talosMinors[0];
  const newest = talosMinors.at(-1);
  const parsed = parseVersion(version);
  const isOlder = parsed && (parsed.major < 1 || (parsed.major === 1 && parsed.minor < (oldest?.minor ?? 0)));
  return {
    code: "SPEC_UNKNOWN_TALOS",
    what: isOlder
      ? `Talos ${version} is too old: this Slipway speaks to 1.${oldest?.minor} and later`
      : `Talos ${version} is newer than this Slipway, which knows 1.${oldest?.minor} to 1.${newest?.minor}`,
    next: `Write version: ${isOlder ? oldest?.newest : defaultTalos}, or a later patch of a known one`,
    position: document.locate([...path, "talos", "version"]),
  };
}

function kubernetesFor({ cluster, document, path }: ClusterDraft, known: TalosMinor): Problem[] {
  const kubernetes = parseVersion(cluster.kubernetes);
  const talos = talosOf(cluster).version;
  if (!kubernetes) return [];
  const isKnown =
    kubernetes.major === 1 &&
    kubernetes.minor >= known.oldestKubernetes &&
    kubernetes.minor <= known.newestKubernetes;
  if (isKnown) return [];
  const runs = (one: TalosMinor | undefined): boolean =>
    one !== undefined && kubernetes.minor >= one.oldestKubernetes && kubernetes.minor <= one.newestKubernetes;
  const usual = talosMinorOf(defaultTalos);
  const other = runs(usual) ? usual : talosMinors.findLast(runs);
  const orElse =
    other && kubernetes.major === 1 ? `, or Talos ${other.newest} for Kubernetes 1.${kubernetes.minor}` : "";
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Talos ${talos} runs Kubernetes 1.${known.oldestKubernetes} to 1.${known.newestKubernetes}, not ${cluster.kubernetes}`,
      next: `Write kubernetes: ${known.kubernetes}${orElse}`,
      position: document.locate([...path, "kubernetes"]),
    },
  ];
}
