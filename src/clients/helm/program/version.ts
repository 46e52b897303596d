/** A version of the helm program. */
export interface HelmVersion {
  major: number;
  minor: number;
  patch: number;
}

/** The helm program that is used. */
export interface HelmProgram {
  command: string;
  version: HelmVersion;
}

/** Helm 3 learned to take objects over, to label releases and to read a digest late; before 3.18 it misses one of them. */
export const oldestHelm = "3.18";

export function parseHelmVersion(text: string): HelmVersion | undefined {
  const found = /v?(\d+)\.(\d+)\.(\d+)/.exec(text);
  return found ? { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) } : undefined;
}

export const isSupportedHelm = ({ major, minor }: HelmVersion): boolean =>
  major === 4 || (major === 3 && minor >= 18);

export const helmVersionText = ({ major, minor, patch }: HelmVersion): string => `${major}.${minor}.${patch}`;
