import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { SecretRef } from "../spec/index.ts";
import { secretNotFound } from "./errors.ts";

const run = promisify(execFile);

export interface SecretSources {
  env: NodeJS.ProcessEnv;
  /** Of the cluster file: paths and commands are meant from there. */
  folder: string;
}

/** Fetches a secret from where the file says it is. What it holds is never part of a message. */
export async function resolveSecret(ref: SecretRef, what: string, from: SecretSources): Promise<string> {
  const value = await fetchSecret(ref, what, from);
  if (value === "")
    throw secretNotFound({ what, why: `${place(ref)} is empty`, next: `Put the secret into ${place(ref)}` });
  return value;
}

async function fetchSecret(ref: SecretRef, what: string, { env, folder }: SecretSources): Promise<string> {
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
    if ("file" in ref)
      return (
        await readFile(path.resolve(folder, ref.file.replace(/^~(?=\/)/, os.homedir())), "utf8")
      ).trim();
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

function place(ref: SecretRef): string {
  if ("env" in ref) return `$${ref.env}`;
  return "file" in ref ? `"${ref.file}"` : `command "${ref.command[0] ?? ""}"`;
}
