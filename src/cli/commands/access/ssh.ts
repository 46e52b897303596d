import { finished } from "node:stream/promises";
import { openNodeSession } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

interface SshCommandOptions extends CommonOptions {
  tty?: boolean;
}

type Session = Awaited<ReturnType<typeof openNodeSession>>;

const interrupted = 130;

/** A shell on a node, or one program with its exit code. */
export async function run(shell: Shell, options: SshCommandOptions, args: string[]): Promise<number> {
  const [node = "", ...command] = args;
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const terminal = processTerminal();
  const world = openWorld(shell, options, fleet);
  const hasTerminal = options.tty ?? (terminal.isInteractive && command.length === 0);
  const session = await openNodeSession(
    {
      fleet,
      node,
      command,
      terminal: hasTerminal ? { ...terminal.size(), name: shell.env["TERM"] ?? "xterm" } : undefined,
    },
    world,
  );
  try {
    return await attach(terminal, session, shell.stop, hasTerminal);
  } finally {
    session.close();
  }
}

async function attach(
  terminal: Terminal,
  session: Session,
  stop: AbortSignal,
  hasTerminal: boolean,
): Promise<number> {
  const restore = hasTerminal ? terminal.passKeys() : () => {};
  const forget = hasTerminal ? terminal.onResize(() => session.resize(terminal.size())) : () => {};
  const stopped = new Promise<number>((resolve) => {
    if (stop.aborted) resolve(interrupted);
    else stop.addEventListener("abort", () => resolve(interrupted), { once: true });
  });
  try {
    terminal.input.pipe(session.stdin);
    session.stdout.pipe(terminal.output, { end: false });
    session.stderr.pipe(terminal.error, { end: false });
    const whole = Promise.all([session.ended, allRead(session.stdout), allRead(session.stderr)]);
    return await Promise.race([whole.then(([code]) => code), stopped]);
  } finally {
    terminal.input.unpipe(session.stdin);
    forget();
    restore();
  }
}

/** The last words of a program may still be on their way when it is over. */
const allRead = (from: Session["stdout"]): Promise<void> =>
  finished(from, { writable: false }).catch(() => undefined);
