import path from "node:path";
import { treeReader } from "../../src/cli/commands/doctor.ts";
import { diagnoseFleet, eventStream } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import type { ClusterFault } from "../../src/sim/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import type { World } from "../../src/world.ts";
import { testScreen } from "./canvas.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

export interface Examined {
  /** The screen, without what differs from run to run. */
  text: string;
  code: number;
  /** Code of the cause; empty when nothing is wrong. */
  cause: string;
  events: EventBody[];
}

/** Runs doctor in this process on a simulated site, as a person would see it. */
export async function examine(
  site: RehearsalSite,
  fleet: Fleet,
  worldWith: Partial<World> = {},
): Promise<Examined> {
  const screen = testScreen({ columns: 80, isTerminal: false });
  const tree = treeReader({ out: screen, err: screen });
  const events: EventBody[] = [];
  const { clock } = site.rehearsal;
  const tell = eventStream(clock, "run", [tree.read, (event) => events.push(event)]);
  const world = { ...site.rehearsal.world(new AbortController().signal, tell), ...worldWith };
  const ending = await diagnoseFleet({ fleet, selection: {}, onDiagnosis: tree.onDiagnosis }, world);
  return {
    text: steady(screen.text, site.folder),
    code: ending.exitCode,
    cause: ending.error?.code ?? "",
    events,
  };
}

/** Names and times that are others in every run. */
const steady = (text: string, folder: string): string =>
  text
    .replaceAll(path.basename(folder), ".slipway")
    .replace(/-[0-9a-f]{8,10}-[0-9a-z]{5}\b/g, "-<pod>")
    .replace(/ +\d+(\.\d+)?( ms|s)$/gm, "  <time>");

/** Lets faults stand in the cluster, waits until what they cause can be seen, and ends them afterwards. */
export async function suffering<T>(
  site: RehearsalSite,
  faults: ClusterFault[],
  isSeen: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add(...faults);
  try {
    await until(isSeen);
    return await work();
  } finally {
    cluster.clear();
  }
}

export async function until(isSo: () => Promise<boolean>, withinMs = 8_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error("it did not come to that in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
