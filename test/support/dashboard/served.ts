import http from "node:http";
import { startDashboard, type Dashboard, type DashboardSite } from "../../../src/dashboard/index.ts";
import { realClock, Redaction, scaledClock } from "../../../src/lib/index.ts";
import type { RunEvent } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { RehearsalSite } from "../sim/rehearsal-site.ts";

/** Stands for what the bundler makes, and holds what would end its element in an exported page. */
export const pageParts = {
  script: 'document.title = "</script><!--<script>";',
  style: 'body::after { content: "</style>" }',
};

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** A dashboard, and a browser's part of the conversation. */
export interface Served extends Dashboard, Browser {
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Browser {
  port: number;
  token: string;
  /** Everything that was answered so far, to be searched for secrets. */
  heard: string[];
  /** Any request at all, also one that no browser would send. */
  request(place: string, options?: http.RequestOptions & { body?: string }): Promise<Answer>;
  ask<T>(place: string): Promise<T>;
  post<T>(place: string, question: unknown): Promise<T>;
  /** A stream to its end, or to the event with which `isEnough`. */
  follow(place: string, options?: FollowOptions): Promise<Followed>;
}

export interface FollowOptions {
  lastEventId?: number;
  question?: unknown;
  isEnough?: (event: RunEvent) => boolean;
}

export interface Followed {
  events: RunEvent[];
  ids: number[];
  /** Absent where the reader left first. */
  end?: { isCut: boolean; error?: { code: string } };
}

/** A site whose hosts are simulated in this process. */
export const rehearsedDashboard = (
  { rehearsal, folder }: RehearsalSite,
  file: () => Fleet,
  session: Partial<DashboardSite["session"]> = {},
): DashboardSite => ({
  ...bareDashboard(folder, session),
  // A run lets go of its lock right before its last word, and on a busy machine that moment is long: none is made shorter.
  clock: realClock,
  redaction: rehearsal.redaction,
  loadFleet: async () => file(),
  openWorld: (_fleet, stop, tell) => rehearsal.world(stop, tell),
});

/** One that has journals and nothing else. */
export const bareDashboard = (
  folder: string,
  session: Partial<DashboardSite["session"]> = {},
): DashboardSite => ({
  session: { slipway: "1.0.0", file: "slipway.yaml", world: "rehearsal", canChange: false, ...session },
  folder,
  redaction: new Redaction(),
  loadFleet: () => Promise.reject(new Error("this site has no cluster file")),
  openWorld: () => {
    throw new Error("this site has no outside");
  },
  stop: new AbortController().signal,
  // Browsers and journals are looked after by the wall, which need not be waited for.
  clock: scaledClock(20),
  page: pageParts,
});

export async function served(site: DashboardSite): Promise<Served> {
  const dashboard = await startDashboard(site);
  return {
    ...dashboard,
    ...browserOf(dashboard.url),
    [Symbol.asyncDispose]: () => dashboard.close(),
  };
}

/** A browser's part of the conversation with the dashboard at an address that was printed. */
export function browserOf(url: string): Browser {
  const [base = "", token = ""] = url.split("/#t=");
  const port = Number(new URL(base).port);
  const heard: string[] = [];
  const request: Served["request"] = (place, { body, ...options } = {}) =>
    new Promise((resolve, reject) => {
      const sent = http.request({ host: "127.0.0.1", port, path: place, agent: false, ...options });
      sent.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => {
          heard.push(text);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.end(body);
    });
  const authorization = `Bearer ${token}`;
  const asJson = { authorization, "content-type": "application/json" };
  return {
    port,
    token,
    heard,
    request,
    ask: async <T>(place: string) =>
      JSON.parse((await request(place, { headers: { authorization } })).text) as T,
    post: async <T>(place: string, question: unknown) =>
      JSON.parse(
        (await request(place, { method: "POST", headers: asJson, body: JSON.stringify(question) })).text,
      ) as T,
    async follow(place, { lastEventId, question, isEnough } = {}) {
      const leave = new AbortController();
      const response = await fetch(`${base}${place}`, {
        method: question === undefined ? "GET" : "POST",
        headers: { ...asJson, ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }) },
        signal: leave.signal,
        ...(question !== undefined && { body: JSON.stringify(question) }),
      });
      if (!response.body || !response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return readStream(response.body, heard, isEnough, () => leave.abort());
    },
  };
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  heard: string[],
  isEnough: FollowOptions["isEnough"],
  leave: () => void,
): Promise<Followed> {
  const found: Followed = { events: [], ids: [] };
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    heard.push(part);
    text += part;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data === undefined) continue;
      if (field("event") === "end") return { ...found, end: JSON.parse(data) as Followed["end"] & object };
      const event = JSON.parse(data) as RunEvent;
      found.events.push(event);
      found.ids.push(Number(field("id")));
      if (isEnough?.(event) === true) {
        leave();
        return found;
      }
    }
  }
  return found;
}
