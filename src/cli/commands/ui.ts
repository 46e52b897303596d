import { exportRun, startDashboard, type DashboardSite } from "../../dashboard/index.ts";
import { refusingInput } from "../input/read-input.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { realSite, serveUntilStopped } from "../output/dashboard.ts";
import { managedSite } from "../output/managed-site.ts";
import { writeReport } from "../output/write-output.ts";
import { notUnderstood } from "../errors.ts";
import type { Shell } from "../shell.ts";
import { formatDuration, renderWritten } from "../views/index.ts";
import { openManagement, type ManagementOptions } from "./fleet/open-management.ts";

interface UiOptions extends CommonOptions, ManagementOptions {
  port?: number;
  open: boolean;
  allowChanges?: boolean;
  export?: string;
  run?: string;
  fleet?: boolean;
}

/** Serves the dashboard until Ctrl-C. Asks no host before a browser does, so it starts when they are down, too. */
export async function run(shell: Shell, options: UiOptions): Promise<number> {
  if (options.fleet) return refusingInput(shell, () => serveFleet(shell, options), isOfServer);
  if (!(await loadOrExplain(shell, options))) return 2;
  const { allowChanges: canChange = false, run: begun } = options;
  const site = await realSite(shell, options, { canChange, run: begun });
  if (options.export !== undefined) return writePage(shell, options, site, options.export);
  await serveUntilStopped(shell, await startDashboard(site, options.port), { ...options, canChange });
  return 0;
}

/** A port that somebody else has is nothing that is wrong with the request. */
const isOfServer = (code: string): boolean => code.startsWith("UI_");

/** The clusters of a controller. What is wrong with the way to them is told in the page, too: it may be mended meanwhile. */
async function serveFleet(shell: Shell, options: UiOptions): Promise<void> {
  for (const other of ["allowChanges", "export", "run"] as const)
    if (options[other] !== undefined) throw notUnderstood(fleetOnlyLooks);
  const client = await openManagement(shell, options);
  try {
    const site = await managedSite(shell, client, options.namespace);
    const { json, open } = options;
    const file = `${options.namespace} of ${client.server}`;
    await serveUntilStopped(shell, await startDashboard(site, options.port), { file, json, open });
  } finally {
    client.close();
  }
}

const fleetOnlyLooks =
  '"--fleet" shows what the objects of a controller say; "--allow-changes", "--export" and "--run" are for a cluster file';

async function writePage(
  shell: Shell,
  options: UiOptions,
  site: DashboardSite,
  file: string,
): Promise<number> {
  const { page, summary } = await exportRun(site, options.run);
  await writeReport(file, page);
  const { run: name, command, clusters, outcome, tookMs } = summary;
  if (options.json) shell.lines.tell({ type: "exported", file, of: name, outcome });
  else {
    const took = tookMs === undefined ? "" : ` after ${formatDuration(tookMs)}`;
    const text = `${command} ${clusters.join(", ")}, ${outcome}${took}, run ${name}`;
    const next = "Open it before you send it: names and addresses are in it, secrets are not";
    shell.out.write(renderWritten({ file, text, next }, shell.out));
  }
  return 0;
}
