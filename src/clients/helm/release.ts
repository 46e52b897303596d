export type ReleaseStatus =
  | "unknown"
  | "deployed"
  | "uninstalled"
  | "superseded"
  | "failed"
  | "uninstalling"
  | "pending-install"
  | "pending-upgrade"
  | "pending-rollback";

/** One revision of a release, as `helm list` and `helm history` tell it. */
export interface HelmRelease {
  name: string;
  namespace: string;
  revision: number;
  status: ReleaseStatus;
  chart: string;
  version: string;
  appVersion: string;
  /** When it was last written, milliseconds since 1970; 0 when helm's text was not understood. */
  updatedAt: number;
  description?: string | undefined;
}

/** Somebody works on it, or was killed while doing so. */
export const isPending = (release: Pick<HelmRelease, "status">): boolean =>
  release.status.startsWith("pending-");

/** The Secret in the release's namespace that holds one revision. */
export const releaseSecretName = (release: Pick<HelmRelease, "name" | "revision">): string =>
  `sh.helm.release.v1.${release.name}.v${release.revision}`;

interface ListEntry {
  name?: string;
  namespace?: string;
  revision: number | string;
  updated: string;
  status: string;
  chart: string;
  app_version?: string;
  description?: string;
}

/** Reads `helm list -o json`, or `helm history -o json` where name and namespace are the ones asked for. */
export function readReleases(json: string, asked?: { name: string; namespace: string }): HelmRelease[] {
  return (JSON.parse(json) as ListEntry[]).map((entry) => ({
    name: entry.name ?? asked?.name ?? "",
    namespace: entry.namespace ?? asked?.namespace ?? "",
    revision: Number(entry.revision),
    status: entry.status as ReleaseStatus,
    ...splitChart(entry.chart),
    appVersion: entry.app_version ?? "",
    updatedAt: readTime(entry.updated),
    description: entry.description,
  }));
}

/** `csi-driver-nfs-4.13.4` are two words. */
export function splitChart(text: string): { chart: string; version: string } {
  const found = /^(.+?)-(v?\d+\.\d+\.\d+.*)$/.exec(text);
  return found ? { chart: found[1] ?? "", version: found[2] ?? "" } : { chart: text, version: "" };
}

/** `2026-11-16 04:21:06.123456789 +0000 UTC` in lists, RFC 3339 in histories. */
function readTime(text: string): number {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,3})?\d* ?(Z|[+-]\d\d:?\d\d)/.exec(text);
  if (!found) return 0;
  const zone = (found[4] ?? "Z").replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  return Date.parse(`${found[1]}T${found[2]}${found[3] ?? ""}${zone}`);
}
