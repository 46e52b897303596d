import { verifyView } from "../../../src/cli/views/index.ts";
import { eventStream, verifyFleet, type RunReport } from "../../../src/operations/index.ts";
import type { RunEvent } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/world.ts";
import { testScreen } from "./canvas.ts";
import type { RehearsalSite } from "../sim/rehearsal-site.ts";

export interface Verified {
  runReport: RunReport;
  events: RunEvent[];
  /** As a person sees it, if everything took a second. */
  text: string;
}

export interface VerifyTry {
  clusters?: string[];
  isQuick?: boolean;
  image?: string;
  waitMs?: number;
  stop?: AbortSignal;
  /** Called with each event, before anybody else. */
  onEvent?(event: RunEvent): void;
  /** Another world than the site's. */
  alter?(world: World): World;
}

const never = new AbortController().signal;

/** Verifies a cluster of the site in this process, and shows the screen. */
export async function verifySite(
  site: RehearsalSite,
  fleet: Fleet,
  options: VerifyTry = {},
): Promise<Verified> {
  const events: RunEvent[] = [];
  const screen = testScreen({ columns: 100, isTerminal: false });
  const view = verifyView({ out: screen, err: screen });
  const keep = (event: RunEvent) => {
    events.push(event);
    options.onEvent?.(event);
  };
  const { time, redaction } = site.rehearsal;
  const show = (event: RunEvent) =>
    view.tell(event.type === "check" || event.type === "done" ? { ...event, tookMs: 1_000 } : event);
  const tell = eventStream({ clock: time.clock, redaction }, "20260714-093102", [keep, show]);
  const world = site.rehearsal.world(options.stop ?? never, tell);
  const probes = { waitMs: options.waitMs ?? 60_000, ...(options.image && { image: options.image }) };
  const runReport = await verifyFleet(
    { fleet, clusters: options.clusters ?? [], ...(!options.isQuick && { probes }) },
    options.alter?.(world) ?? world,
  );
  return { runReport, events, text: withoutMadeUpNames(screen.text) };
}

/** What differs from run to run is not what a screen is about. */
const withoutMadeUpNames = (text: string): string =>
  text
    .replaceAll(/(kube-flannel|metrics-server)-[a-z0-9-]+(?=[ :])/g, "$1-XXXXX")
    // Whoever asks first holds the shared address.
    .replaceAll(/(held by|10\.15\.0\.100 on) cp-\d/g, "$1 cp-1")
    // Where the scheduler put it.
    .replaceAll(/(metrics-server-XXXXX on worker)-\d/g, "$1-N");
