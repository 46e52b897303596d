import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** A real talosctl. lab/build-talosctl.sh [VERSION] builds them. */
export interface Talosctl {
  version: string;
  minor: number;
  program: string;
}

const cache = path.join(homedir(), ".cache/slipway-lab");

/** Those that are there, oldest first. */
export const talosctls: Talosctl[] = [
  { version: "v1.12.6", minor: 12, program: path.join(cache, "talosctl-v1.12.6") },
  { version: "v1.13.9", minor: 13, program: path.join(cache, "talosctl") },
  { version: "v1.14.1", minor: 14, program: path.join(cache, "talosctl-v1.14.1") },
].filter(({ program }) => existsSync(program));

export interface Answer {
  isDone: boolean;
  stdout: string;
  stderr: string;
}

export const run = ({ program }: Talosctl, ...args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    execFile(program, args, { encoding: "utf8", maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      resolve({ isDone: error === null, stdout, stderr }),
    );
  });

/** The work on all items, never more than four at a time. */
export async function inTurns<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const rest = items.entries();
  const worker = async () => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
}
