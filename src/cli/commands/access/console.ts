import type { Readable } from "node:stream";
import { openNodeConsole } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { processTerminal } from "./terminal.ts";

interface ConsoleOptions extends CommonOptions {
  force?: boolean;
}

/** Ctrl-], as in virsh and telnet. */
const leaveKey = 0x1d;

/** The serial console of a node, until Ctrl-] or the end of its machine. */
export async function run(shell: Shell, options: ConsoleOptions, [node = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const terminal = processTerminal();
  const world = openWorld(shell, options, fleet);
  const over = ending();
  const console = await openNodeConsole(
    {
      fleet,
      node,
      isForced: options.force ?? false,
      listener: {
        heard: (bytes) => void terminal.output.write(bytes),
        ended: (error) => (error ? over.reject(error) : over.resolve()),
      },
    },
    world,
  );
  shell.err.write(`Connected to ${node}. Ctrl-] leaves.\n`);
  const restore = terminal.passKeys();
  const leave = (): void => over.resolve();
  shell.stop.addEventListener("abort", leave, { once: true });
  const forget = typeInto(terminal.input, (bytes) => console.write(bytes).catch(over.reject), leave);
  try {
    await over.promise;
    await console.close();
  } finally {
    forget();
    restore();
  }
  shell.err.write(`\nLeft the console of ${node}.\n`);
  return 0;
}

interface End {
  promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Comes from the console, from the keyboard or from a signal, whichever is first. */
function ending(): End {
  const end = {} as End;
  end.promise = new Promise<void>((resolve, reject) => {
    end.resolve = resolve;
    end.reject = reject;
  });
  // It may come before anybody waits for it.
  end.promise.catch(() => undefined);
  return end;
}

/** What is typed before the key that leaves is still sent. Returns how to stop listening. */
function typeInto(input: Readable, send: (bytes: Buffer) => Promise<void>, leave: () => void): () => void {
  const typed = (bytes: Buffer): void => {
    const at = bytes.indexOf(leaveKey);
    const sent = at === -1 ? bytes : bytes.subarray(0, at);
    const sending = sent.length > 0 ? send(sent) : Promise.resolve();
    if (at !== -1) void sending.then(leave);
  };
  input.on("data", typed);
  return () => {
    input.off("data", typed);
    input.pause();
  };
}
