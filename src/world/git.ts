import path from "node:path";
import { runProgramWith } from "./run-program.ts";
import { filesInGit } from "../secrets/index.ts";

/** The little of the outside that a look at the cluster file alone needs. Apart, so that no client is loaded for it. */
export interface GitWorld {
  /** Where secrets, access files and journals live: `.slipway` beside the cluster file. */
  folder: string;
  /** Files at or below this place that git has, or would take with the next `git add`. */
  filesInGit(place: string): Promise<string[]>;
}

export const gitWorld = (options: { file: string; env: NodeJS.ProcessEnv; stop: AbortSignal }): GitWorld => ({
  folder: slipwayFolder(options.file),
  filesInGit: (place) =>
    filesInGit(place, { run: runProgramWith(options.env), env: options.env, signal: options.stop }),
});

/** `.slipway` beside the cluster file. */
export const slipwayFolder = (file: string): string => path.join(path.dirname(file), ".slipway");
