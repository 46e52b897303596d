import { realClock } from "../lib/index.ts";
import type { Tell } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import { realWorld, slipwayFolder, type World } from "../world/index.ts";
import type { CommonOptions } from "./options.ts";
import { openKeptStream } from "./output/run-stream.ts";
import { showPlan, type ShownPlan } from "./output/show-plan.ts";
import type { Shell } from "./shell.ts";

/**
 * The real world as a command meets it: the user's environment, terminal and Ctrl-C. Without a reader nothing is told.
 * It brings every client along, so commands that only read the file do without it.
 */
export const openWorld = (
  { env, asker, stop, calls, redaction, simulated }: Shell,
  { file }: Pick<CommonOptions, "file">,
  fleet: Fleet,
  tell: Tell = () => {},
): World => realWorld({ file, fleet, env, ask: asker, stop, tell, calls, redaction, simulated });

/** A run of the real world as a command meets it. */
export interface KeptRun {
  /** That of its journal. */
  name: string;
  world: World;
  /** Before somebody agrees; a program that reads JSON is told by events alone. */
  say(text: string): void;
  /** The plan screen, with how long ago reality was read. */
  show(shown: Omit<ShownPlan, "file" | "readAgoMs">): void;
}

/** What `work` tells is on screen and in a journal beside the file; `alsoTell` hears it too. */
export async function keptRun<T>(
  shell: Shell,
  options: CommonOptions,
  fleet: Fleet,
  work: (run: KeptRun) => Promise<T>,
  alsoTell: Tell = () => {},
): Promise<T> {
  const { file } = options;
  const startedAt = realClock.now();
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(file));
  const say = (text: string): void => {
    if (!options.json) stream.view.say(text);
  };
  try {
    return await work({
      name: stream.run,
      world: openWorld(shell, options, fleet, (event) => {
        alsoTell(event);
        stream.tell(event);
      }),
      say,
      show: (shown) => say(showPlan({ ...shown, file, readAgoMs: realClock.now() - startedAt }, shell.out)),
    });
  } finally {
    stream.close();
  }
}
