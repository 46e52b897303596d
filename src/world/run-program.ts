import { spawn } from "node:child_process";
import type { RunProgram } from "../lib/index.ts";

/** What programs need of the user's own environment: others they start, the way to the network, whom to trust there. */
const handedOn = [
  "PATH",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

// Helm marks a release as failed when it is asked to end; that takes a moment.
const patienceMs = 10_000;

/** Runs programs of this machine with the smallest environment that works. */
export const runProgramWith =
  (environment: NodeJS.ProcessEnv): RunProgram =>
  (command, args, options) =>
    new Promise((resolve, reject) => {
      if (options.signal.aborted) {
        reject(options.signal.reason as Error);
        return;
      }
      const child = spawn(command, args, {
        env: { ...pick(environment), ...options.env },
        cwd: options.cwd,
        stdio: "pipe",
      });
      let killing: NodeJS.Timeout | undefined;
      const stop = () => {
        child.kill("SIGTERM");
        killing = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      };
      options.signal.addEventListener("abort", stop, { once: true });
      const out = lines((line) => options.onLine?.("stdout", line));
      const err = lines((line) => options.onLine?.("stderr", line));
      child.stdout.setEncoding("utf8").on("data", out.add);
      child.stderr.setEncoding("utf8").on("data", err.add);
      // A program that ends without reading its input is no failure of its own.
      child.stdin.on("error", () => {});
      child.stdin.end(options.stdin ?? "");
      const finish = (settle: () => void) => {
        clearTimeout(killing);
        options.signal.removeEventListener("abort", stop);
        settle();
      };
      child.once("error", (error) => finish(() => reject(error)));
      child.once("close", (code) =>
        finish(() => {
          if (options.signal.aborted) reject(options.signal.reason as Error);
          else resolve({ code: code ?? 1, stdout: out.end(), stderr: err.end() });
        }),
      );
    });

function pick(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    handedOn.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Keeps all text and tells each line once it is whole. */
function lines(tell: (line: string) => void) {
  let text = "";
  let told = 0;
  const tellUpTo = (end: number) => {
    for (const line of text.slice(told, end).split("\n")) tell(line);
    told = end + 1;
  };
  return {
    add(part: string) {
      text += part;
      const end = text.lastIndexOf("\n");
      if (end >= told) tellUpTo(end);
    },
    end(): string {
      if (told < text.length) tellUpTo(text.length);
      return text;
    },
  };
}
