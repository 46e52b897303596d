import { spawnSync } from "node:child_process";
import { program } from "./sim-process.ts";

export interface StartFigures {
  bareMs: number;
  versionMs: number;
  overMs: number;
}

/** Bare node against `slipway --version`, in turns, medians of many. */
export function measureStart(rounds = 15): StartFigures {
  const bare: number[] = [];
  const version: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(time(["-e", ""]));
    version.push(time([program, "--version"]));
  }
  const [bareMs, versionMs] = [median(bare), median(version)];
  return { bareMs, versionMs, overMs: versionMs - bareMs };
}

function time(args: string[]): number {
  const startedAt = performance.now();
  spawnSync(process.execPath, args);
  return performance.now() - startedAt;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
