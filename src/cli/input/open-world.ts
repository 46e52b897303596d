import type { Tell } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import { realWorld, type World } from "../../world/index.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";

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
