import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";

/** What a process used. */
export interface Usage {
  tookMs: number;
  cpuMs: number;
  peakMiB: number;
}

const reporter = path.join(import.meta.dirname, "report-usage.mjs");

/** The longest of all, three hundred nodes, takes four minutes on a machine that is busy with other things. */
const longestMs = 20 * 60_000;

/** Runs Node with these arguments to its end; throws when it fails, or does not end. */
export async function runMeasured(
  args: string[],
  env: NodeJS.ProcessEnv = {},
  timeout = longestMs,
): Promise<Usage & { out: string }> {
  const child = spawn(process.execPath, ["--import", reporter, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
    killSignal: "SIGKILL",
  });
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  if (code !== 0) {
    const ended = code === null ? `was ended by ${signal}` : `exited with ${code}`;
    throw new Error(`${args.join(" ")} ${ended}: ${err}${lastWords(out)}`);
  }
  const used = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "{}") as Usage;
  return { ...used, out };
}

/** What it told last, its calls to the outside left out. */
const lastWords = (out: string): string =>
  out
    .split("\n")
    .filter((line) => !line.includes('"type":"log"'))
    .join("\n")
    .slice(-4_000);

/** How many steps `slipway plan --json` has told of. */
export function plannedSteps(out: string): number {
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { steps?: unknown[] });
  const steps = lines.findLast((line) => line.steps !== undefined)?.steps;
  if (!steps) throw new Error(`no plan was told: ${out.slice(-2_000)}`);
  return steps.length;
}

/** What another process has used so far, as Linux tells it; undefined elsewhere. */
export async function usageOf(pid: number): Promise<Pick<Usage, "cpuMs" | "peakMiB"> | undefined> {
  try {
    const [stat, status] = await Promise.all(
      ["stat", "status"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")),
    );
    // The name of the program stands in brackets and may hold anything.
    const fields = (stat ?? "").slice((stat ?? "").lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const peakKiB = Number(/^VmHWM:\s+(\d+) kB/m.exec(status ?? "")?.[1]);
    return { cpuMs: (ticks * 1000) / ticksPerSecond, peakMiB: peakKiB / 1024 };
  } catch {
    return undefined;
  }
}

/** Of the kernel's own accounting, on every Linux there is. */
const ticksPerSecond = 100;
