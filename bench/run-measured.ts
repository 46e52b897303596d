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

/** Runs Node with these arguments to its end; throws when it fails. */
export async function runMeasured(
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Usage & { out: string }> {
  const child = spawn(process.execPath, ["--import", reporter, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}: ${err}${out.slice(-2_000)}`);
  const used = JSON.parse(err.trimEnd().split("\n").at(-1) ?? "{}") as Usage;
  return { ...used, out };
}

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
