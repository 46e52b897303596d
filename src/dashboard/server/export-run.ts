import type { RunEvent } from "../../plan/index.ts";
import { registerSecrets } from "../../operations/index.ts";
import { exportLeaks, noRunToExport, runNotEnded, runTooLarge } from "../errors.ts";
import type { RunSummary } from "../protocol.ts";
import { exportedPage } from "./page.ts";
import { JournalLines, openRun, readEvent } from "./runs/journal-file.ts";
import { runHistory } from "./runs/run-history.ts";
import { fleetOf, type DashboardSite } from "./site.ts";

const mostMiB = 64;

/** A run that has ended as one page for others, without anything that would let them in. */
export async function exportRun(
  site: DashboardSite,
  run: string | undefined,
): Promise<{ page: string; summary: RunSummary }> {
  const { world } = await fleetOf(site)();
  await registerSecrets(world);
  const summary = await findEnded(site.folder, run);
  const events = await readEvents(site.folder, summary.run);
  const { clusters, world: kind } = summary;
  const told = events.find((event) => event.type === "run");
  const { file, slipway } = told?.type === "run" ? told : site.session;
  const session = { slipway, file, clusters, world: kind, canChange: false, run: summary.run };
  const exported = site.redaction.redact({ session, events });
  const text = JSON.stringify(exported);
  if (site.redaction.secrets.some((secret) => text.includes(secret))) throw exportLeaks(summary.run);
  return { page: exportedPage(site.page, exported), summary };
}

/** The one that is named, or the newest that has ended. */
async function findEnded(folder: string, run: string | undefined): Promise<RunSummary> {
  const history = runHistory(folder);
  if (run === undefined) {
    const newest = (await history.list()).find(({ outcome }) => outcome !== undefined);
    if (!newest) throw noRunToExport(run);
    return newest;
  }
  const found = await history.find(run);
  if (!found) throw noRunToExport(run);
  if (found.outcome === undefined) throw runNotEnded(run);
  return found;
}

async function readEvents(folder: string, run: string): Promise<RunEvent[]> {
  const handle = await openRun(folder, run);
  if (!handle) throw noRunToExport(run);
  try {
    if ((await handle.stat()).size > mostMiB * 1024 ** 2) throw runTooLarge(run, mostMiB);
    const lines = new JournalLines(handle);
    const events: RunEvent[] = [];
    for (let come = await lines.next(); come; come = await lines.next())
      events.push(...come.map(readEvent).filter((event) => event !== undefined));
    const done = events.findIndex(({ type }) => type === "done");
    return done < 0 ? events : events.slice(0, done + 1);
  } finally {
    await handle.close();
  }
}
