export interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
}

export interface Lockfile {
  packages: Record<string, LockedPackage>;
}

const folderAbove = (place: string): string =>
  place.slice(0, Math.max(0, place.lastIndexOf("node_modules/")));

/** As Node looks for it: beside the package that asks, then further up. */
function isFound(lockfile: Lockfile, asker: string, name: string, version: string): boolean {
  const inside = lockfile.packages[`${asker}/node_modules/${name}`];
  for (let folder = folderAbove(asker), found = inside; ; folder = folderAbove(folder.replace(/\/$/, ""))) {
    found ??= lockfile.packages[`${folder}node_modules/${name}`];
    // Native packages are asked for by exact version; a range is satisfied by whatever npm put there.
    if (found) return found.version === version || !/^\d/.test(version);
    if (folder === "") return false;
  }
}

/** Optional packages that some package names and the lockfile does not hold, and where they would stand. */
export function missingPackages(lockfile: Lockfile): { place: string; name: string; version: string }[] {
  return Object.entries(lockfile.packages).flatMap(([asker, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => !isFound(lockfile, asker, name, version))
      .map(([name, version]) => ({ place: `${folderAbove(asker)}node_modules/${name}`, name, version })),
  );
}
