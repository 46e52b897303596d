import { clusterOfStep, stepInCluster, type EventBody, type Tell } from "../../plan/index.ts";
import { renderJunit } from "../views/index.ts";

type Check = Extract<EventBody, { type: "check" }>;

/** Remembers the checks and steps of a run, as CI systems want to see them. */
export interface JunitCollector {
  tell: Tell;
  text(): string;
}

export function junitCollector(command: string): JunitCollector {
  const cases: Check[] = [];
  const titles = new Map<string, string>();
  const add = (step: string, rest: Pick<Check, "status" | "tookMs"> & Partial<Check>): void => {
    const title = titles.get(step) ?? step;
    cases.push({
      type: "check",
      phase: "gate",
      id: stepInCluster(step).replaceAll("/", "."),
      title,
      cluster: clusterOfStep(step),
      ...rest,
    });
  };
  return {
    tell(event) {
      if (event.type === "plan") for (const { id, title } of event.steps) titles.set(id, title);
      if (event.type === "check") cases.push(event);
      if (event.type === "finished") add(event.step, { status: "ok", tookMs: event.tookMs });
      if (event.type === "failed") add(event.step, { status: "failed", tookMs: 0, error: event.error });
      if (event.type === "skipped") add(event.step, { status: "skipped", tookMs: 0, because: event.because });
      if (event.type === "done" && event.error)
        cases.push({
          type: "check",
          phase: "gate",
          id: "run",
          title: `slipway ${command}`,
          cluster: "slipway",
          status: "failed",
          tookMs: event.tookMs,
          error: event.error,
        });
    },
    text: () => renderJunit(cases, `slipway ${command}`),
  };
}
