import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type {
  BackupsAnswer,
  FleetAnswer,
  PlanAnswer,
  RunSummary,
  Session,
  TopologyAnswer,
} from "../../../src/dashboard/protocol.ts";
import { assetsOf, readPageParts, safeHeaders } from "../../../src/dashboard/server/page.ts";
import type { RunEvent } from "../../../src/plan/index.ts";

const dist = path.resolve(import.meta.dirname, "../../../dist/dashboard");

/** What a scripted dashboard tells. Tests change it while the page looks. */
export interface Script {
  session: Session;
  fleet: FleetAnswer;
  runs: RunSummary[];
  journals: Map<string, RunEvent[]>;
  topology?: TopologyAnswer;
  backups?: BackupsAnswer;
  plan?: PlanAnswer;
  /** The stream of `verify` and of `doctor`. */
  verify?: RunEvent[];
  doctor?: RunEvent[];
}

export interface ScriptedServer {
  url: string;
  /** The last events that readers said they had. */
  resumedAfter: number[];
  /** Told to all who follow it; the last of a run ends its streams. */
  tell(run: string, ...events: RunEvent[]): void;
  /** Every connection is cut, and new ones are refused until `back`. */
  cut(): void;
  back(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const token = "t0ken";

/** Speaks the protocol from data alone, with the headers of the real server: states that no rehearsal stands still in. */
export async function scriptedServer(script: Script): Promise<ScriptedServer> {
  const assets = assetsOf(await readPageParts(dist));
  const followers = new Map<http.ServerResponse, string>();
  const resumedAfter: number[] = [];
  let isCut = false;

  const send = (response: http.ServerResponse, run: string, events: readonly RunEvent[]): void => {
    response.write(events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    if (events.some(({ type }) => type === "done")) {
      response.end('event: end\ndata: {"isCut":false}\n\n');
      followers.delete(response);
    } else followers.set(response, run);
  };

  const follow = (response: http.ServerResponse, run: string, after: number): void => {
    if (after > 0) resumedAfter.push(after);
    response.writeHead(200, { ...safeHeaders, "content-type": "text/event-stream" });
    response.write(": begins\n\n");
    send(
      response,
      run,
      (script.journals.get(run) ?? []).filter(({ seq }) => seq > after),
    );
    response.once("close", () => followers.delete(response));
  };

  const answers: Record<string, () => unknown> = {
    "/api/session": () => script.session,
    "/api/fleet": () => script.fleet,
    "/api/runs": () => script.runs,
    "/api/topology": () => script.topology,
    "/api/backups": () => script.backups,
    "/api/plan": () => script.plan,
  };

  const server = http.createServer((request, response) => {
    if (isCut) return void request.socket.destroy();
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const asset = assets.get(pathname);
    if (asset) {
      response.writeHead(200, { ...safeHeaders, "content-type": asset.type });
      return void response.end(asset.text);
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      const error = {
        code: "UI_TOKEN",
        what: "Cannot answer",
        why: "the token is another",
        next: "Open it again",
      };
      response.writeHead(401, { ...safeHeaders, "content-type": "application/json" });
      return void response.end(JSON.stringify({ error }));
    }
    const [, run] = /^\/api\/runs\/([^/]+)\/events$/.exec(pathname) ?? [];
    if (run !== undefined) return follow(response, run, Number(request.headers["last-event-id"] ?? 0));
    const look =
      pathname === "/api/verify" ? script.verify : pathname === "/api/doctor" ? script.doctor : undefined;
    if (look) {
      response.writeHead(200, { ...safeHeaders, "content-type": "text/event-stream" });
      return send(response, pathname, look);
    }
    response.writeHead(200, { ...safeHeaders, "content-type": "application/json" });
    response.end(JSON.stringify(answers[pathname]?.() ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/#t=${token}`,
    resumedAfter,
    tell(run, ...events) {
      script.journals.get(run)?.push(...events);
      for (const [response, followed] of followers) if (followed === run) send(response, run, events);
    },
    cut() {
      isCut = true;
      server.closeAllConnections();
    },
    back() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
