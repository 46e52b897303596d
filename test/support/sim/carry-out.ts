import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { RunResult } from "../../../src/engine/index.ts";
import { loadFleet } from "../../../src/operations/index.ts";
import { assemble } from "../../../src/operations/planning/assemble.ts";
import { runPlan } from "../../../src/engine/index.ts";
import type { Plan, StepId } from "../../../src/plan/index.ts";
import { realWorld } from "../../../src/world/index.ts";

/** What somebody told who has carried out somebody else's plan. */
export interface CarriedOut extends Pick<RunResult, "failed" | "skipped"> {
  finished: StepId[];
}

type CarryOut = (file: string, planFile: string, env: NodeJS.ProcessEnv) => Promise<CarriedOut>;

/** Carries out a plan from the JSON it is kept as, in a world that knows of the file only who may log in where. */
export const carryOut: CarryOut = async (file, planFile, env) => {
  const loaded = await loadFleet(file);
  if ("problems" in loaded) throw new Error(`the file is wrong: ${JSON.stringify(loaded.problems)}`);
  const { fleet } = loaded;
  const stop = new AbortController().signal;
  const world = realWorld({ file, fleet, env, stop, tell: () => undefined });
  const plan = JSON.parse(readFileSync(planFile, "utf8")) as Plan;
  const { finished, failed, skipped } = await runPlan(plan, assemble(world, fleet).kinds, world);
  return { finished: finished.map(({ step }) => step), failed, skipped };
};

const program = path.resolve(import.meta.dirname, "carry-out-process.ts");

/** The same in a process that knows nothing else of it. */
export const carryOutElsewhere: CarryOut = async (file, planFile, env) => {
  const args = ["--import", "tsx", program, file, planFile];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as CarriedOut;
};
