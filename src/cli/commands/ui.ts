import { exportRun, startDashboard, type DashboardSite } from "../../dashboard/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { realSite, showAddress } from "../output/dashboard.ts";
import { writeReport } from "../output/write-output.ts";
import { untilStopped, type Shell } from "../shell.ts";
import { formatDuration, renderServed, renderWritten } from "../views/index.ts";

interface UiOptions extends CommonOptions {
  port?: number;
  open: boolean;
  allowChanges?: boolean;
  export?: string;
  run?: string;
}

/** Serves the dashboard until Ctrl-C. Asks no host before a browser does, so it starts when they are down, too. */
export async function run(shell: Shell, options: UiOptions): Promise<number> {
  if (!(await loadOrExplain(shell, options))) return 2;
  const { allowChanges: canChange = false, run: begun } = options;
  const site = await realSite(shell, options, { canChange, run: begun });
  if (options.export !== undefined) return writePage(shell, options, site, options.export);
  const dashboard = await startDashboard(site, options.port);
  try {
    const { url, port } = dashboard;
    const hint = showAddress(shell, dashboard, options.open && !options.json);
    if (options.json) shell.lines.tell({ type: "listening", url, port });
    else shell.out.write(renderServed({ file: options.file, url, hint, canChange }, shell.out));
    await untilStopped(shell);
    // A run that was approved in the browser comes to a safe point, as in a terminal.
    await dashboard.ended();
  } finally {
    await dashboard.close();
  }
  return 0;
}

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
