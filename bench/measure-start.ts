import path from "node:path";
import { runMeasured } from "./run-measured.ts";
import { program } from "./sim-process.ts";

/** CPU above bare node, the median of many turns. */
export interface StartFigures {
  bareMs: number;
  versionMs: number;
  validateMs: number;
}

const quickstart = path.resolve(import.meta.dirname, "../examples/quickstart.yaml");

/** Bare node, `slipway --version` and `slipway validate`, in turns. */
export async function measureStart(rounds = 20): Promise<StartFigures> {
  const commands = {
    bare: ["-e", ""],
    version: [program, "--version"],
    validate: [program, "validate", "-f", quickstart],
  };
  const turns: Record<keyof typeof commands, number[]> = { bare: [], version: [], validate: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(commands) as [keyof typeof commands, string[]][])
      turns[name].push((await runMeasured(args)).cpuMs);
  }
  const bareMs = median(turns.bare);
  return {
    bareMs,
    versionMs: median(turns.version) - bareMs,
    validateMs: median(turns.validate) - bareMs,
  };
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};
