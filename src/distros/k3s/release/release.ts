import { kubernetesOfK3s, parseK3sVersion, type Architecture } from "../../../spec/index.ts";

/** Where the makers of K3s publish. */
const releases = "https://github.com/k3s-io/k3s/releases/download";

/** The Kubernetes in a version of K3s: `1.36.3` of `1.36.3+k3s1`, with or without a leading v. */
export const kubernetesOf = kubernetesOfK3s;

/** Negative when `a` is older. Rebuilds of one Kubernetes count too, which the usual order of versions ignores. */
export function compareK3s(a: string, b: string): number {
  const [left, right] = [orderOf(a), orderOf(b)];
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Major, minor, patch, candidate, build; what is no candidate comes after all of them. */
function orderOf(version: string): number[] {
  const parsed = parseK3sVersion(version);
  if (!parsed) throw new Error(`"${version}" is no version of K3s`);
  const candidate = /-rc(\d+)/.exec(version)?.[1];
  const rank = candidate === undefined ? Number.MAX_SAFE_INTEGER : Number(candidate);
  return [parsed.major, parsed.minor, parsed.patch, rank, parsed.build];
}

/** What the files of a release are called. */
export interface ArtifactNames {
  binary: string;
  images: string;
  checksums: string;
}

export const artifactNames = (architecture: Architecture): ArtifactNames => ({
  binary: architecture === "amd64" ? "k3s" : `k3s-${architecture}`,
  images: `k3s-airgap-images-${architecture}.tar.zst`,
  checksums: `sha256sum-${architecture}.txt`,
});

/** Where a file of a release lies: with its makers, or at a mirror that keeps them the same way. */
export const artifactUrl = (version: string, name: string, mirror = releases): string =>
  `${mirror.replace(/\/+$/, "")}/v${encodeURIComponent(version)}/${name}`;

/** The checksum of the file of exactly this name: names of others contain it. */
export function checksumIn(text: string, name: string): string | undefined {
  for (const line of text.split("\n")) {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](.+?)\s*$/i.exec(line) ?? [];
    if (file === name) return sum?.toLowerCase();
  }
  return undefined;
}

/** What `k3s --version` prints, without the leading v; undefined for anything else. */
export const versionIn = (output: string): string | undefined => /^k3s version v(\S+)/.exec(output)?.[1];
