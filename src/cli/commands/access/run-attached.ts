import { spawn } from "node:child_process";
import os from "node:os";

/** Codes that stand for a program ended by a signal begin here. */
const bySignal = 128;

/**
 * Runs a program in this terminal as if it had been typed here: it has the keyboard and the screen to itself. Resolves with
 * its exit code, after it has ended. `stop` is the first signal to us.
 */
export function runAttached(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<number> {
  const { stdin, stdout, stderr } = process;
  // A terminal sends Ctrl-C to everybody in it; twice would be once too often.
  const hasTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: "inherit" });
    const hangUp = (): void => void child.kill("SIGHUP");
    const passOn = (): void => {
      if (stop.reason === "SIGINT" && hasTerminal) return;
      child.kill(stop.reason === "SIGINT" ? "SIGINT" : "SIGTERM");
    };
    const finish = (settle: () => void): void => {
      process.off("SIGHUP", hangUp);
      stop.removeEventListener("abort", passOn);
      settle();
    };
    process.on("SIGHUP", hangUp);
    if (stop.aborted) passOn();
    else stop.addEventListener("abort", passOn, { once: true });
    child.once("error", (error) => finish(() => reject(error)));
    child.once("close", (code, signal) =>
      finish(() => resolve(code ?? bySignal + (signal === null ? 0 : os.constants.signals[signal]))),
    );
  });
}
