/** `1.13.0-alpha.2` in parts; what cannot be read counts as zero. */
export function parseTalosVersion(version: string): { minor: number; patch: number; preRelease: string } {
  const [, minor = "0", patch = "0", preRelease = ""] = /^v?1\.(\d+)\.(\d+)(?:-(.+))?$/.exec(version) ?? [];
  return { minor: Number(minor), patch: Number(patch), preRelease };
}

/** Installing and pulling images have services of their own after 1.13.0-alpha.2. */
export function hasLifecycleService(version: string): boolean {
  const { minor, patch, preRelease } = parseTalosVersion(version);
  const isTooEarly = minor === 13 && patch === 0 && /^alpha\.[012]$/.test(preRelease);
  return minor >= 13 && !isTooEarly;
}
