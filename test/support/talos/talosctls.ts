import { execFile } from "node:child_process";
import { labFile } from "../peers.ts";

/** A real talosctl. lab/build-talosctl.sh [VERSION] builds them. */
export interface Talosctl {
  version: string;
  minor: number;
  program: string;
}

/** Those that are there, oldest first. */
export const talosctls: Talosctl[] = [
  { version: "v1.12.6", minor: 12, program: labFile("talosctl-v1.12.6") },
  { version: "v1.13.9", minor: 13, program: labFile("talosctl") },
  { version: "v1.14.1", minor: 14, program: labFile("talosctl-v1.14.1") },
].flatMap(({ program, ...rest }) => (program === undefined ? [] : [{ ...rest, program }]));

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
export async function inTurns<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries();
  const worker = async () => {
    for (const [index, item] of rest) await work(item, index);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
}
