import { spawn } from "node:child_process";
import {
  readPageParts,
  startDashboard,
  type Dashboard,
  type DashboardSite,
  type Session,
} from "../../dashboard/index.ts";
import { realClock } from "../../lib/index.ts";
import { loadFleet, type OpenRehearsal } from "../../operations/index.ts";
import { problemsError, type Fleet } from "../../spec/index.ts";
import { slipwayFolder, slipwayVersion } from "../../world/index.ts";
import { openWorld } from "../open-world.ts";
import { readPackageFile } from "../input/package-files.ts";
import type { CommonOptions } from "../options.ts";
import { untilStopped, type Shell } from "../shell.ts";
import { renderServed } from "../views/index.ts";

/** What of a session is chosen when a dashboard is opened. */
type Choices = Partial<Pick<Session, "canChange" | "run">>;

/** The dashboard of a cluster file: as it stands, every time it is asked for. */
export async function realSite(
  shell: Shell,
  options: CommonOptions,
  choices: Choices,
): Promise<DashboardSite> {
  return {
    ...(await anySite(shell)),
    session: sessionOf(options, "real", choices),
    folder: slipwayFolder(options.file),
    async loadFleet() {
      const loaded = await loadFleet(options.file);
      if ("problems" in loaded) throw problemsError(loaded.problems);
      return loaded.fleet;
    },
    openWorld: (fleet, stop, tell) => openWorld({ ...shell, stop }, options, fleet, tell),
  };
}

/** The dashboard of a rehearsal: its hosts and nodes are simulated, and gone with it. */
export async function rehearsedSite(
  shell: Shell,
  options: CommonOptions,
  { rehearsal, fleet, run }: { rehearsal: OpenRehearsal; fleet: Fleet; run: string },
): Promise<DashboardSite> {
  return {
    ...(await anySite(shell)),
    session: sessionOf(options, "rehearsal", { run }),
    folder: rehearsal.folder,
    loadFleet: () => Promise.resolve(rehearsal.adapt(fleet)),
    openWorld: (_fleet, stop, tell) => rehearsal.world(stop, tell),
  };
}

export const anySite = async ({ redaction, stop }: Shell) => ({
  ...{ redaction, stop, clock: realClock },
  page: await readPageParts("dist/dashboard", readPackageFile),
});

const sessionOf = (
  { file }: CommonOptions,
  world: Session["world"],
  { canChange = false, run }: Choices,
): DashboardSite["session"] => ({ slipway: slipwayVersion, file, world, canChange, run });

/** Serves it until Ctrl-C, and tells where. */
export async function serveUntilStopped(
  shell: Shell,
  dashboard: Dashboard,
  shown: { file: string; canChange?: boolean; json?: boolean | undefined; open: boolean },
): Promise<void> {
  try {
    const { url, port } = dashboard;
    const hint = showAddress(shell, dashboard, shown.open && !shown.json);
    if (shown.json) shell.lines.tell({ type: "listening", url, port });
    else shell.out.write(renderServed({ ...shown, url, hint }, shell.out));
    await untilStopped(shell);
    // A run that was approved in the browser comes to a safe point, as in a terminal.
    await dashboard.ended();
  } finally {
    await dashboard.close();
  }
}

/** Opens the browser where there is somebody to look at it, and says how to get there where there is not. */
function showAddress(shell: Shell, dashboard: Dashboard, isWanted: boolean): string | undefined {
  const { env, out } = shell;
  const [, , server] = (env["SSH_CONNECTION"] ?? "").split(" ");
  const { port } = dashboard;
  if (server !== undefined) return `ssh -L ${port}:127.0.0.1:${port} ${server}`;
  if (isWanted && out.isTerminal && !env["CI"]) openBrowser(dashboard.openUrl(), env);
  return undefined;
}

/** Opens an address in the user's browser, if this computer knows how. The address is printed anyway. */
function openBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const [program, ...args] = browserProgram(env, process.platform);
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { env, stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

/** Empty where there is no screen. */
function browserProgram(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = env;
  if (BROWSER !== undefined && BROWSER !== "") return [BROWSER];
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (WSL_DISTRO_NAME !== undefined) return ["wslview"];
  return DISPLAY === undefined && WAYLAND_DISPLAY === undefined ? [] : ["xdg-open"];
}

/** Opens a dashboard beside a run. */
export type Watch = (site: DashboardSite) => Promise<void>;

/**
 * Runs something that can be watched in the browser, too. At a terminal the dashboard stays until Ctrl-C, to look at how it
 * ended; elsewhere nobody would end it, so it goes with the run.
 */
export async function watching(
  shell: Shell,
  options: CommonOptions,
  run: (watch: Watch, watched: () => Promise<void>) => Promise<number>,
): Promise<number> {
  let dashboard: Dashboard | undefined;
  const watched = async (): Promise<void> => {
    const isStaying = shell.out.isTerminal && !options.json && !shell.stop.aborted;
    if (!dashboard || !isStaying) return;
    shell.err.write("  look  the dashboard stays until Ctrl-C\n");
    await untilStopped(shell);
  };
  try {
    const code = await run(async (site) => {
      dashboard = await startDashboard(site);
      const hint = showAddress(shell, dashboard, true);
      // Apart from what the run prints, which stays as it is without a dashboard.
      shell.err.write(
        `  look  ${dashboard.url}\n${hint === undefined ? "" : `  else  from your own machine: ${hint}\n`}`,
      );
    }, watched);
    await watched();
    return code;
  } finally {
    await dashboard?.told();
    await dashboard?.close();
  }
}
