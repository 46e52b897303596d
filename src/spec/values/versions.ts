/** What one minor version of Talos Linux runs. */
export interface TalosMinor {
  minor: number;
  /** The newest patch known to this Slipway. */
  newest: string;
  /** The Kubernetes it gets when the file names none. */
  kubernetes: string;
  /** Kubernetes minors its nodes accept: since 1.11 the node itself refuses others. */
  oldestKubernetes: number;
  newestKubernetes: number;
}

const talos = (minor: number, newest: string, kubernetes: string): TalosMinor => ({
  minor,
  newest,
  kubernetes,
  // A Talos minor accepts the six Kubernetes minors that end at its own.
  oldestKubernetes: minor + 18,
  newestKubernetes: minor + 23,
});

export const talosMinors: readonly TalosMinor[] = [
  talos(8, "1.8.4", "1.31.4"),
  talos(9, "1.9.6", "1.32.4"),
  talos(10, "1.10.9", "1.33.6"),
  talos(11, "1.11.6", "1.34.1"),
  talos(12, "1.12.11", "1.35.4"),
  talos(13, "1.13.9", "1.36.3"),
  // No add-on is tested on 1.37 by its makers yet, so 1.14 starts with 1.36 as well.
  talos(14, "1.14.1", "1.36.3"),
];

export const defaultTalos = "1.13.9";

export interface Version {
  major: number;
  minor: number;
  patch: number;
}

const versionPattern = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;

/** A full version such as 1.13.9 or v1.14.0-rc.1, or nothing. */
export function parseVersion(text: string): Version | undefined {
  const found = versionPattern.exec(text);
  if (!found) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) };
}

export const minorOf = (version: string): number => parseVersion(version)?.minor ?? 0;

export function talosMinorOf(version: string): TalosMinor | undefined {
  const parsed = parseVersion(version);
  return parsed?.major === 1 ? talosMinors.find((known) => known.minor === parsed.minor) : undefined;
}
