import path from "node:path";
import { treeReader } from "../../../src/cli/commands/doctor.ts";
import { diagnoseFleet, eventStream, type Diagnosis } from "../../../src/operations/index.ts";
import type { EventBody } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/world.ts";
import { testScreen } from "./canvas.ts";
import type { RehearsalSite } from "../sim/rehearsal-site.ts";

export interface Inspected {
  /** The screen, without what differs from run to run. */
  text: string;
  code: number;
  /** Code of the cause; empty when nothing is wrong. */
  cause: string;
  events: EventBody[];
}

/** Runs doctor in this process on a simulated site, as a person would see it. */
export async function inspect(
  site: RehearsalSite,
  fleet: Fleet,
  worldWith: Partial<World> = {},
): Promise<Inspected> {
  const screen = testScreen({ columns: 80, isTerminal: false });
  const tree = treeReader({ out: screen, err: screen });
  const events: EventBody[] = [];
  const { time, redaction } = site.rehearsal;
  // Before they are drawn, so that lines break at the same places in every run.
  const steady = steadyIn(path.basename(site.folder));
  const tell = eventStream({ clock: time.clock, redaction }, "run", [
    (event) => tree.read(steady(event)),
    (event) => events.push(event),
  ]);
  const world = { ...site.rehearsal.world(new AbortController().signal, tell), ...worldWith };
  const onDiagnosis = (found: Diagnosis) => tree.onDiagnosis(steady(found), 400);
  const runReport = await diagnoseFleet({ fleet, selection: {}, onDiagnosis }, world);
  return { text: screen.text, code: runReport.exitCode, cause: runReport.error?.code ?? "", events };
}

/** Leaves out what is another in every run: names that Kubernetes makes up, and the folder of the test. */
const steadyIn =
  (folder: string) =>
  <T>(told: T): T =>
    JSON.parse(
      JSON.stringify(told)
        .replaceAll(folder, ".slipway")
        .replace(/-[0-9a-f]{8,10}-[0-9a-z]{5}\b/g, "-xxxxx")
        .replace(/10\.244\.\d+\.\d+/g, "10.244.x.x")
        .replace(/-[0-9a-f]{10}-/g, "-xxxxx-")
        .replace(/-[0-9a-f]{5}(?= on |:)/g, "-xxxxx"),
    ) as T;

/** Looks again, a second later each time, until it is so; `why` says what is wrong when it never is. */
export async function until(
  site: RehearsalSite,
  isSo: () => Promise<boolean>,
  why: () => string = () => "it did not come to that in time",
): Promise<void> {
  for (let looks = 0; !(await isSo()); looks += 1) {
    if (looks === 120) throw new Error(why());
    await site.pass(1_000);
  }
}
