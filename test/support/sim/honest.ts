import { expect } from "vitest";
import type { RunReport } from "../../../src/operations/index.ts";
import type { EventBody } from "../../../src/plan/index.ts";

/** Success, or errors a person can act on. */
export function expectHonest(
  { runReport, events }: { runReport: RunReport; events: EventBody[] },
  when: string,
): void {
  const errors = events.flatMap((event) => ("error" in event && event.error ? [event.error] : []));
  for (const error of errors) {
    expect(error.code, `${when}: ${error.why}`).not.toBe("SLIPWAY_DEFECT");
    expect(error.code, when).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/);
    expect(error.what && error.why && error.next, when).toBeTruthy();
    expect(`${error.what} ${error.why} ${error.next}`, when).not.toMatch(/\n\s+at |undefined|\[object/);
  }
  expect(
    ["done", "unchanged"].includes(runReport.outcome) || errors.length > 0,
    `${when} ended as ${runReport.outcome} and says nothing`,
  ).toBe(true);
}
