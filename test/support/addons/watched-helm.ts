import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { RunProgram } from "../../../src/lib/index.ts";

/** One run of helm, as others on this machine could see it, and what it was told in private. */
export interface HelmRun {
  /** Its command line and environment in one text. */
  open: string;
  hasInput: boolean;
  /** The files it was given, with their modes. */
  files: { name: string; mode: number }[];
}

/** Lets helm run and keeps what could be seen of it. */
export const watchedHelm =
  (run: RunProgram, runs: HelmRun[]): RunProgram =>
  (command, args, options) => {
    const { cwd = "", env = {}, stdin } = options;
    runs.push({
      open: [command, ...args, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)].join("\n"),
      hasInput: stdin !== undefined && stdin.length > 0,
      files: readdirSync(cwd).map((name) => ({ name, mode: statSync(path.join(cwd, name)).mode & 0o777 })),
    });
    return run(command, args, options);
  };

/** Every file below a folder, with its text. */
export const textsBelow = (folder: string): { file: string; text: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: readFileSync(file, "latin1") }));
