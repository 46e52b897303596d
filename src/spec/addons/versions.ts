/** A version of an add-on, and the minor releases of Kubernetes its makers tested it with: `1.33`. */
export interface AddonVersion {
  version: string;
  /** Absent: its makers do not say. Without `to` they name the oldest only. */
  kubernetes?: { from: string; to?: string | undefined };
}

export const tested = (version: string, from: string, to?: string): AddonVersion => ({
  version,
  kubernetes: { from, to },
});

/** The newest version that was tested with this Kubernetes, else the one nearest to it: the newest or the oldest. */
export function chooseVersion(versions: readonly AddonVersion[], kubernetes: string): string | undefined {
  const found = versions.find((each) => isTested(each, kubernetes));
  return (found ?? versions.at(isOlder(kubernetes, versions) ? -1 : 0))?.version;
}

const isOlder = (kubernetes: string, versions: readonly AddonVersion[]): boolean =>
  versions.every(({ kubernetes: range }) => range && minorNumber(kubernetes) < minorNumber(range.from));

/** Makers test lines, not patches: 1.20.2 is as good as 1.20.1. */
export const versionLike = (versions: readonly AddonVersion[], version: string): AddonVersion | undefined =>
  versions.find((each) => lineOf(each.version) === lineOf(version));

export function isTested({ kubernetes: range }: AddonVersion, kubernetes: string): boolean {
  const minor = minorNumber(kubernetes);
  if (!range) return true;
  return minor >= minorNumber(range.from) && (range.to === undefined || minor <= minorNumber(range.to));
}

const lineOf = (version: string): string => version.split(".").slice(0, 2).join(".");

const minorNumber = (version: string): number => Number(version.split(".")[1] ?? 0);
