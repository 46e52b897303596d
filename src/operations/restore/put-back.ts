import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OpenedBackup } from "../../backups/index.ts";
import { diskText } from "../../errors/index.ts";
import { createFile } from "../../lib/index.ts";
import { accountFile, saysTheSame } from "../../secrets/index.ts";
import type { World } from "../../world/index.ts";
import { notPutBack, secretsDiffer } from "./errors.ts";

const secretsFolder = "secrets/";

/** How the secrets of a copy come from those of the original. */
export interface SecretsOfCopy {
  /** The one file that is not taken as it is. */
  file: string | undefined;
  change(text: string): string;
}

/** An account on a hypervisor is of the cluster that it was made for; a copy gets one of its own. */
const onlyOfOriginal = new Set([accountFile]);

/** What of a backup was put back, and what of it is there otherwise. */
export interface PutBack {
  written: string[];
  /** Files that are there and say something else than the backup; they stay as they are. */
  different: string[];
}

/**
 * The secrets of a cluster, into the form its file wants. What is there already is compared before the first is written:
 * other secrets are never replaced.
 */
export async function putSecretsBack(
  backup: OpenedBackup,
  cluster: string,
  { secretFiles: files, folder }: Pick<World, "secretFiles" | "folder">,
  copy?: SecretsOfCopy,
): Promise<PutBack> {
  const wanted = await Promise.all(
    backup.members
      .filter(({ name }) => name.startsWith(secretsFolder))
      .filter(({ name }) => !copy || !onlyOfOriginal.has(name.slice(secretsFolder.length)))
      .map(async (member) => {
        const name = member.name.slice(secretsFolder.length);
        const kept = await member.text();
        const text = copy?.file === name ? copy.change(kept) : kept;
        const found = await files.read(cluster, name);
        if (found !== undefined && !saysTheSame(name, found, text))
          throw secretsDiffer({ cluster, file: files.fileOf(cluster, name) });
        return { name, text, isMissing: found === undefined };
      }),
  );
  const missing = wanted.filter(({ isMissing }) => isMissing);
  for (const { name, text } of missing) {
    const { isOurs, text: there } = await files.writeOnce(cluster, name, text);
    if (!isOurs && !saysTheSame(name, there, text))
      throw secretsDiffer({ cluster, file: files.fileOf(cluster, name) });
  }
  // Machines of a copy have other keys.
  if (!copy) await putKnownHostsBack(backup, path.join(folder, cluster, "known_hosts"));
  return { written: missing.map(({ name }) => files.fileOf(cluster, name)), different: [] };
}

/** By which keys machines are known that live; of new ones they are written anew. */
async function putKnownHostsBack(backup: OpenedBackup, file: string): Promise<void> {
  const member = backup.members.find(({ name }) => name === "state/known_hosts");
  if (member) await createFile(file, await member.text());
}

/** The cluster file at `file` and all it refers to, where there is none; what is there stays, and is named if it differs. */
export async function putFilesBack(backup: OpenedBackup, file: string): Promise<PutBack> {
  const done: PutBack = { written: [], different: [] };
  for (const { to, member } of filesIn(backup, file)) {
    const bytes = await bytesOf(backup, member);
    const found = await readFile(to).catch(() => undefined);
    if (found !== undefined) {
      if (!found.equals(bytes)) done.different.push(to);
      continue;
    }
    try {
      if (await createFile(to, bytes)) done.written.push(to);
    } catch (cause) {
      throw notPutBack({ file: to, why: diskText(cause), cause });
    }
  }
  return done;
}

/** Where the files of a backup belong. One that lay outside of the folder of the cluster file is not written there. */
function filesIn({ contents, members }: OpenedBackup, file: string): { to: string; member: string }[] {
  const isFolder = contents.file === ".";
  const folder = isFolder ? file : path.dirname(file);
  const referred = new Set(contents.files.map(({ member }) => member));
  const parts = members
    .filter(({ name }) => (isFolder ? name.startsWith("file/") : name === `file/${contents.file}`))
    .filter(({ name }) => !referred.has(name))
    .map(({ name }) => ({
      to: isFolder ? path.join(file, name.slice("file/".length)) : file,
      member: name,
    }));
  const others = contents.files
    .filter(({ path: written }) => !path.isAbsolute(written))
    .map(({ path: written, member }) => ({ to: path.join(folder, written), member }))
    .filter(({ to }) => !path.relative(folder, to).startsWith(".."));
  return [...parts, ...others];
}

async function bytesOf(backup: OpenedBackup, member: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of backup.member(member).read()) parts.push(part);
  return Buffer.concat(parts);
}
