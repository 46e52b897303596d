import path from "node:path";
import { errorData } from "../../errors/index.ts";
import type { Check } from "../../plan/index.ts";
import { isPlainSecret, secretsInGit } from "../../secrets/index.ts";
import { hostSecrets, type Fleet } from "../../spec/index.ts";
import type { GitWorld } from "../../world/index.ts";

/** Plain secrets that git has or would take: of clusters, and tokens in files of their own. */
async function plainInGit(fleet: Fleet, { folder, filesInGit }: GitWorld): Promise<string[]> {
  const found = await filesInGit(folder);
  const isPlain = await Promise.all(found.map((file) => isPlainSecret(file, folder)));
  const tokens = fleet.hosts.flatMap((host) =>
    hostSecrets(host).flatMap((secret) =>
      "file" in secret && !secret.file.startsWith("~")
        ? [path.resolve(path.dirname(host.at.file), secret.file)]
        : [],
    ),
  );
  const taken = await Promise.all([...new Set(tokens)].map((file) => filesInGit(file)));
  return [...found.filter((_, index) => isPlain[index]), ...taken.flat()];
}

/** Throws where the next `git push` would tell others the secrets. */
export async function refuseSecretsInGit(fleet: Fleet, world: GitWorld): Promise<void> {
  const files = await plainInGit(fleet, world);
  if (files.length > 0) throw secretsInGit(files.map(shown), path.basename(world.folder));
}

/** The same as a check that is there only when it fails. */
export async function gitChecks(fleet: Fleet, world: GitWorld): Promise<Check[]> {
  const files = await plainInGit(fleet, world);
  if (files.length === 0) return [];
  const error = errorData(secretsInGit(files.map(shown), path.basename(world.folder)));
  return [
    {
      id: "secrets-in-git",
      title: "Plain secrets stay out of git",
      failing: "Plain secrets are in git",
      run: () => Promise.resolve({ status: "failed", error }),
    },
  ];
}

/** As the user would write it. */
const shown = (file: string): string => path.relative("", file) || file;
