import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Redaction } from "../lib/index.ts";
import type { SecretRef } from "../spec/index.ts";
import { ageKeys } from "./age/age-keys.ts";
import type { AgeKeys } from "./age/file-key.ts";
import { secretNotFound } from "./errors.ts";
import { openAge } from "./age/open-age.ts";
import { readSops } from "./sops/sops-file.ts";

const run = promisify(execFile);

export interface SecretSources {
  env: NodeJS.ProcessEnv;
  /** Of the cluster file: paths and commands are meant from there. */
  folder: string;
  /** Open what is encrypted; those of this user when left out. */
  keys?: AgeKeys;
  /** Nothing that is fetched is told from then on. */
  redaction: Redaction;
}

/** Fetches a secret from where the file says it is. What it holds is never part of a message. */
export async function resolveSecret(ref: SecretRef, what: string, from: SecretSources): Promise<string> {
  const value = await fetchSecret(ref, what, from);
  from.redaction.register(value);
  if (value === "")
    throw secretNotFound({ what, why: `${place(ref)} is empty`, next: `Put the secret into ${place(ref)}` });
  return value;
}

async function fetchSecret(ref: SecretRef, what: string, from: SecretSources): Promise<string> {
  const { env, folder } = from;
  if ("age" in ref || "sops" in ref) return openSecret(ref, what, from);
  if ("env" in ref) {
    const value = env[ref.env];
    if (value !== undefined) return value.trim();
    throw secretNotFound({
      what,
      why: `$${ref.env} is not set`,
      next: `Set it for this shell: export ${ref.env}=…`,
    });
  }
  try {
    if ("file" in ref) return (await readFile(fileFrom(folder, ref.file), "utf8")).trim();
    const [program = "", ...args] = ref.command;
    return (await run(program, args, { timeout: 30_000, cwd: folder, env })).stdout.trim();
  } catch (thrown) {
    // The cause may quote what the command printed, so only its code is told.
    const code = (thrown as { code?: string | number }).code ?? "failed";
    throw secretNotFound({
      what,
      why: `${place(ref)} could not be read (${code})`,
      next: `Check ${place(ref)}, then run the command again`,
    });
  }
}

/** Never a shell: `~` is the only thing that stands for something else. */
const fileFrom = (folder: string, file: string): string =>
  path.resolve(folder, file.replace(/^~(?=\/)/, os.homedir()));

async function openSecret(
  ref: Extract<SecretRef, { age: string } | { sops: object }>,
  what: string,
  { env, folder, keys = ageKeys({ env }) }: SecretSources,
): Promise<string> {
  const file = "age" in ref ? ref.age : ref.sops.file;
  const bytes = await readFile(fileFrom(folder, file)).catch((thrown: NodeJS.ErrnoException) => {
    const why = `${place(ref)} could not be read (${thrown.code ?? "failed"})`;
    throw secretNotFound({ what, why, next: `Check ${place(ref)}, then run the command again` });
  });
  if ("age" in ref) return (await openAge(bytes, file, keys)).toString("utf8").trim();
  const { data } = await readSops(bytes.toString("utf8"), file, keys);
  const value = valueAt(data, ref.sops.key);
  if (value !== undefined) return value.trim();
  const why = `"${file}" has no text at "${ref.sops.key}"`;
  throw secretNotFound({ what, why, next: `Add it: sops edit "${file}"` });
}

/** `users.0.password` leads into lists, too. A value that is no text is written as YAML would. */
function valueAt(data: unknown, key: string): string | undefined {
  let current = data;
  for (const part of key.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  if (typeof current === "string") return current;
  return ["bigint", "number", "boolean"].includes(typeof current) ? String(current) : undefined;
}

function place(ref: SecretRef): string {
  if ("env" in ref) return `$${ref.env}`;
  if ("age" in ref) return `"${ref.age}"`;
  if ("sops" in ref) return `"${ref.sops.key}" in "${ref.sops.file}"`;
  return "file" in ref ? `"${ref.file}"` : `command "${ref.command[0] ?? ""}"`;
}
