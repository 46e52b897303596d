import type { Consequence, PlannedStep } from "../plan/index.ts";

const destructive: Consequence[] = ["replace", "remove", "data"];

/**
 * What a person has to type before a plan runs: the names of the clusters of which something is replaced or removed, in the order
 * of the plan. Undefined: a click is enough.
 */
export function textToType(steps: Pick<PlannedStep, "cluster" | "consequence">[]): string | undefined {
  const touched = steps.filter(({ consequence }) => destructive.includes(consequence));
  return [...new Set(touched.map(({ cluster }) => cluster))].join(", ") || undefined;
}
