import type { IncomingMessage, ServerResponse } from "node:http";
import { registerSecrets } from "../../operations/index.ts";
import { errorData } from "../../errors/index.ts";
import type { ObjectsAnswer, Session } from "../protocol.ts";
import { nothingThere } from "../errors.ts";
import { optionalField, readQuestion, textField } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { openEventSource } from "./event-source.ts";
import type { Looks } from "./looks.ts";
import { followRun } from "./runs/follow-run.ts";
import { openRun } from "./runs/journal-file.ts";
import type { RunHistory } from "./runs/run-history.ts";
import type { DashboardSite, ManagedSite, OpenFleet } from "./site.ts";

export interface Question {
  request: IncomingMessage;
  response: ServerResponse;
  query: URLSearchParams;
}

/** One call of the protocol. What it gives back is the answer; a stream answers by itself. */
export interface Call {
  method: "GET" | "POST";
  answer(asked: Question): Promise<object | undefined>;
}

interface Parts {
  site: DashboardSite;
  openFleet(): Promise<OpenFleet>;
  looks: Looks;
  changes: Changes;
  history: RunHistory;
}

export interface Calls {
  /** The call at an address; undefined: there is none. */
  at(place: string): Call | undefined;
  /** Resolves when every run that is followed has been told to its end. */
  told(): Promise<unknown>;
}

/** The calls of the protocol by their address. */
export function callsOf(parts: Parts): Calls {
  const { looks, changes, history } = parts;
  const open = new Set<Promise<undefined>>();
  const follow = runStreams(parts);
  const streamRun = (run: string, asked: Question): Promise<undefined> => {
    const following = follow(run, asked).finally(() => open.delete(following));
    open.add(following);
    return following;
  };
  const health = (verb: "verify" | "doctor"): Call =>
    post(async (question, { response }) => {
      await looks.health(verb, { cluster: textField(question, "cluster") }, response);
      return undefined;
    });
  const calls = new Map<string, Call>([
    ["/api/session", get(() => looks.session())],
    ["/api/fleet", get(() => looks.fleet())],
    ["/api/backups", get(({ query }) => looks.backups(query.get("cluster") ?? ""))],
    ["/api/topology", get(({ query }) => looks.topology(query))],
    ["/api/runs", get(() => history.list())],
    ["/api/plan", post((question) => changes.plan({ cluster: optionalField(question, "cluster") }))],
    [
      "/api/up",
      post((question) =>
        changes.up({
          planDigest: textField(question, "planDigest"),
          confirm: optionalField(question, "confirm"),
        }),
      ),
    ],
    ["/api/stop", post(async (question) => changes.stop({ run: textField(question, "run") }))],
    ["/api/verify", health("verify")],
    ["/api/doctor", health("doctor")],
  ]);
  return {
    at(place) {
      const [, run] = /^\/api\/runs\/([^/]+)\/events$/.exec(place) ?? [];
      return run === undefined ? calls.get(place) : get((asked) => streamRun(run, asked));
    },
    told: () => Promise.allSettled(open),
  };
}

/** The few calls of a dashboard that shows the clusters of a controller. None of them changes anything. */
export function managedCalls(site: ManagedSite): { calls: Calls; ended(): Promise<boolean> } {
  const { redaction, clock, session } = site;
  let reading: Promise<ObjectsAnswer> | undefined;
  const read = async (): Promise<ObjectsAnswer> => {
    const at = new Date(clock.now()).toISOString();
    return redaction.redact({ at, ...(await site.readObjects()) });
  };
  const calls = new Map<string, Call>([
    ["/api/session", get(async (): Promise<Session> => ({ ...session, clusters: [] }))],
    // Many tabs, one look.
    ["/api/objects", get(() => (reading ??= read().finally(() => void (reading = undefined))))],
  ]);
  return {
    calls: { at: (place) => calls.get(place), told: () => Promise.resolve() },
    ended: () => Promise.resolve(false),
  };
}

const get = (answer: (asked: Question) => Promise<object | undefined>): Call => ({
  method: "GET",
  answer,
});

const post = (
  answer: (question: Record<string, unknown>, asked: Question) => Promise<object | undefined>,
): Call => ({
  method: "POST",
  answer: async (asked) => answer(await readQuestion(asked.request), asked),
});

/** Follows journals for browsers. What is in them was redacted when it was written, and is once more. */
function runStreams({ site, openFleet }: Parts) {
  const { clock, folder, redaction } = site;
  let knowing: Promise<void> | undefined;
  const know = async (): Promise<void> => registerSecrets((await openFleet()).world);
  return async (run: string, { request, response }: Question): Promise<undefined> => {
    const handle = await openRun(folder, run);
    if (!handle) throw nothingThere();
    try {
      // A file that is wrong today says nothing against what happened yesterday.
      await (knowing ??= know().catch(() => void (knowing = undefined)));
      const source = openEventSource(response, clock);
      const after = lastSeen(request);
      const lines = followRun(handle, { folder, after, clock, signal: source.gone });
      try {
        let next = await lines.next();
        for (; next.done !== true; next = await lines.next())
          await source.send(next.value.map(({ seq, text }) => ({ seq, text: redaction.redact(text) })));
        source.end(next.value);
      } catch (thrown) {
        if (!source.gone.aborted) source.end({ isCut: true, error: redaction.redact(errorData(thrown)) });
      }
    } finally {
      await handle.close();
    }
    return undefined;
  };
}

const lastSeen = ({ headers }: IncomingMessage): number => {
  const given = Number(headers["last-event-id"] ?? 0);
  return Number.isSafeInteger(given) && given > 0 ? given : 0;
};
