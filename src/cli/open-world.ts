import type { Tell } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import { realWorld, type World } from "../world.ts";
import type { CommonOptions } from "./options.ts";
import type { Shell } from "./shell.ts";

/** The real world as a command meets it: the user's environment, terminal and Ctrl-C. Without a reader nothing is told. */
export const openWorld = (
  shell: Shell,
  { file }: Pick<CommonOptions, "file">,
  fleet: Fleet,
  tell: Tell = () => {},
): World => realWorld({ file, fleet, env: shell.env, ask: shell.asker, stop: shell.stop, tell });
