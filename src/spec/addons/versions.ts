import type { KnownAddonName } from "../known-addons.ts";

/** A version of an add-on, and the minor releases of Kubernetes its makers tested it with: `1.33`. */
export interface AddonVersion {
  version: string;
  /** Absent: its makers do not say. Without `to` they name the oldest only. */
  kubernetes?: { from: string; to?: string };
}

const tested = (version: string, from: string, to?: string): AddonVersion => ({
  version,
  kubernetes: { from, ...(to !== undefined && { to }) },
});

/** Of charts, newest first; of the manifests where there is no chart. */
export const addonVersions: Record<KnownAddonName, readonly AddonVersion[]> = {
  argocd: [tested("10.7.2", "1.33", "1.36"), tested("10.1.1", "1.32", "1.35")],
  "cert-manager": [tested("1.21.1", "1.33", "1.36"), tested("1.20.0", "1.32", "1.35")],
  cilium: [
    tested("1.20.1", "1.33", "1.36"),
    tested("1.19.7", "1.32", "1.35"),
    tested("1.18.13", "1.30", "1.33"),
  ],
  flux: [tested("0.58.1", "1.33")],
  "gateway-api-crds": [{ version: "1.6.1" }, { version: "1.4.0" }, { version: "1.3.0" }],
  "kubelet-csr-approver": [{ version: "1.2.14" }],
  longhorn: [tested("1.12.1", "1.33", "1.36"), tested("1.11.3", "1.25", "1.32")],
  "metrics-server": [tested("3.14.0", "1.34"), tested("3.13.1", "1.31")],
  "nfs-csi": [tested("4.13.4", "1.21")],
  "prometheus-crds": [tested("31.0.1", "1.16")],
  "proxmox-ccm": [{ version: "0.2.28" }],
  "proxmox-csi": [{ version: "0.5.9" }],
  rancher: [
    tested("2.15.2", "1.34", "1.36"),
    tested("2.14.4", "1.33", "1.35"),
    tested("2.13.8", "1.32", "1.34"),
    tested("2.12.12", "1.31", "1.33"),
  ],
};

/** The newest version that was tested with this Kubernetes, else the one nearest to it: the newest or the oldest. */
export function chooseVersion(name: KnownAddonName, kubernetes: string): string | undefined {
  const versions = addonVersions[name];
  const found = versions.find((each) => isTested(each, kubernetes));
  return (found ?? versions.at(isOlder(kubernetes, versions) ? -1 : 0))?.version;
}

const isOlder = (kubernetes: string, versions: readonly AddonVersion[]): boolean =>
  versions.every(({ kubernetes: range }) => range && minorNumber(kubernetes) < minorNumber(range.from));

/** Makers test lines, not patches: 1.20.2 is as good as 1.20.1. */
export const versionLike = (name: KnownAddonName, version: string): AddonVersion | undefined =>
  addonVersions[name].find((each) => lineOf(each.version) === lineOf(version));

export function isTested({ kubernetes: range }: AddonVersion, kubernetes: string): boolean {
  const minor = minorNumber(kubernetes);
  if (!range) return true;
  return minor >= minorNumber(range.from) && (range.to === undefined || minor <= minorNumber(range.to));
}

const lineOf = (version: string): string => version.split(".").slice(0, 2).join(".");

const minorNumber = (version: string): number => Number(version.split(".")[1] ?? 0);
