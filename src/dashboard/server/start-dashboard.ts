import { randomBytes } from "node:crypto";
import http from "node:http";
import { describeCause } from "../../errors/index.ts";
import { loopbackServer } from "../../lib/index.ts";
import { portTaken } from "../errors.ts";
import { requestListener } from "./request-listener.ts";
import type { DashboardSite, ManagedSite } from "./site.ts";

/** A dashboard that is being served. */
export interface Dashboard {
  port: number;
  /** With the token in its fragment, which browsers send to nobody. */
  url: string;
  /**
   * An address for programs that open a browser: others may see it in the list of processes, so it leads to the dashboard
   * once and never again.
   */
  openUrl(): string;
  /** Resolves when no run started here is under way any more, and browsers know how it ended. */
  ended(): Promise<void>;
  /** Resolves when browsers have been told the last words of the runs they follow, or after a moment. */
  told(): Promise<void>;
  close(): Promise<void>;
}

const tokenBytes = 32;
const lastWordsMs = 1_000;

/** Serves the dashboard of a site to browsers of this machine, and to nobody else. */
export async function startDashboard(site: DashboardSite | ManagedSite, port?: number): Promise<Dashboard> {
  const token = randomBytes(tokenBytes).toString("base64url");
  const { keep, listen } = loopbackServer();
  const { listener, openOnce, ended, told } = requestListener(site, token);
  const open = (): http.Server => http.createServer(listener).on("connection", keep);
  const main = await listen(open(), port).catch((thrown: unknown) => {
    throw portTaken(port ?? 0, describeCause(thrown), thrown);
  });
  // `localhost` may mean this one. Where there is no IPv6, or somebody else has the port, the other is enough.
  const second = await listen(open(), main.port, "::1").catch(() => undefined);
  const lastWords = async (): Promise<void> => {
    await Promise.race([told(), site.clock.sleep(lastWordsMs)]);
  };
  const base = `http://127.0.0.1:${main.port}`;
  return {
    port: main.port,
    url: `${base}/#t=${token}`,
    openUrl: () => `${base}${openOnce()}`,
    async ended() {
      if (await ended()) await lastWords();
    },
    told: lastWords,
    async close() {
      await Promise.all([main.close(), second?.close()]);
    },
  };
}
