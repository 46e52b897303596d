import { parseVersion, type Version } from "./versions.ts";

/** A version of K3s: that of Kubernetes, and how often K3s was built from it. */
export interface K3sVersion extends Version {
  build: number;
}

/** The newest patch of each minor known to this Slipway, oldest first. */
export const k3sReleases: readonly string[] = ["1.33.13+k3s2", "1.34.10+k3s1", "1.35.7+k3s1", "1.36.3+k3s1"];

/** What the channels of K3s meant when this Slipway was made: a file means the same tomorrow as today. */
export const k3sChannels: Readonly<Record<string, string>> = {
  stable: "1.36.3+k3s1",
  latest: "1.36.3+k3s1",
};

export const defaultK3s = "1.36.3+k3s1";

const versionPattern = /^v?(\d+\.\d+\.\d+(?:-rc\d+)?)\+k3s([1-9]\d*)$/;

/** A full version such as 1.36.3+k3s1, or nothing. */
export function parseK3sVersion(text: string): K3sVersion | undefined {
  const found = versionPattern.exec(text);
  const kubernetes = found && parseVersion(found[1] ?? "");
  return kubernetes ? { ...kubernetes, build: Number(found[2]) } : undefined;
}

/** The Kubernetes in a version of K3s: 1.36.3 of 1.36.3+k3s1. */
export const kubernetesOfK3s = (version: string): string => version.replace(/^v|\+.*$/g, "");

/** What a file may call a version: all of it, a minor such as 1.36, or a channel. */
export function resolveK3s(written: string): string | undefined {
  if (parseK3sVersion(written)) return written.replace(/^v/, "");
  const minor = /^v?1\.(\d+)$/.exec(written)?.[1];
  return minor === undefined
    ? k3sChannels[written]
    : k3sReleases.find((release) => release.startsWith(`1.${minor}.`));
}
