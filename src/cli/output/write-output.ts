import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describeCause } from "../../errors/index.ts";
import { replaceFile } from "../../lib/index.ts";
import { outputExists, outputNotWritten } from "../errors.ts";
import type { Shell } from "../shell.ts";

/** Writes a private text where `-o` says: a file, or the terminal for `-`. A file that is there stays without `force`. */
export async function writeOutput(
  shell: Shell,
  target: string,
  text: string | Buffer,
  force: boolean,
): Promise<void> {
  if (target === "-") {
    shell.disclose(text.toString());
    return;
  }
  try {
    if (force) await replaceFile(target, text);
    else await writeNew(target, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw outputExists(target);
    throw outputNotWritten(target, describeCause(error), error);
  }
  shell.err.write(`Created ${target}\n`);
}

async function writeNew(target: string, text: string | Buffer): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text, { flag: "wx", mode: 0o600 });
}

/** What a pipeline keeps. Like a compiler's output, it is replaced each time. */
export async function writeReport(file: string, text: string | Buffer): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw outputNotWritten(file, describeCause(error), error);
  }
}
