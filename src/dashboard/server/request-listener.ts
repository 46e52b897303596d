import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { errorData } from "../../errors/index.ts";
import { nothingThere, wrongMethod } from "../errors.ts";
import { sendJson, sendText, statusOf } from "./answer.ts";
import { callsOf, managedCalls, type Calls } from "./calls.ts";
import { changesOf } from "./changes.ts";
import { isQuestion, refusalOf } from "./guard.ts";
import { looksOf } from "./looks.ts";
import { assetsOf, safeHeaders } from "./page.ts";
import { runHistory } from "./runs/run-history.ts";
import { fleetOf, type DashboardSite, type ManagedSite } from "./site.ts";

export interface Listening {
  listener: RequestListener;
  /** A path that leads to the page and its token, one time. */
  openOnce(): string;
  /** Resolves when no run started here is under way, and says whether one was. */
  ended(): Promise<boolean>;
  /** Resolves when every run that is followed has been told to its end. */
  told(): Promise<unknown>;
}

/** Places in the page, which are reloaded like any address: names between slashes. */
const pagePlace = /^(\/[a-z0-9][a-z0-9.-]*){0,4}$/;

/** Answers whatever is asked of a dashboard, behind the one guard of it. */
export function requestListener(site: DashboardSite | ManagedSite, token: string): Listening {
  const { calls, ended } = "readObjects" in site ? managedCalls(site) : fileCalls(site);
  const assets = assetsOf(site.page);
  const openings = new Set<string>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = refusalOf(request, token);
    if (refusal) return refuse(response, refusal.status, refusal.error);
    const { method = "", url = "" } = request;
    const [place = "", query = ""] = url.split("?", 2);
    if (isQuestion(url)) {
      const call = calls.at(place);
      if (!call) throw nothingThere();
      if (call.method !== method) return refuseMethod(response, method, call.method);
      const found = await call.answer({ request, response, query: new URLSearchParams(query) });
      if (found) sendJson(response, "error" in found ? 409 : 200, found);
      return;
    }
    if (method !== "GET") return refuseMethod(response, method, "GET");
    if (openings.delete(place)) {
      response.writeHead(303, { ...safeHeaders, location: `/#t=${token}` }).end();
      return;
    }
    const asset = assets.get(place) ?? (pagePlace.test(place) ? assets.get("/") : undefined);
    if (!asset) throw nothingThere();
    sendText(response, 200, asset.type, asset.text);
  };

  return {
    listener: (request, response) => {
      answer(request, response).catch((thrown: unknown) => {
        if (response.headersSent) response.destroy();
        else refuse(response, statusOf(thrown), thrown, site.redaction);
      });
    },
    openOnce() {
      const place = `/open/${randomBytes(16).toString("hex")}`;
      openings.add(place);
      return place;
    },
    ended,
    told: calls.told,
  };
}

function fileCalls(site: DashboardSite): { calls: Calls; ended(): Promise<boolean> } {
  const openFleet = fleetOf(site);
  const changes = changesOf(site, openFleet);
  const calls = callsOf({
    ...{ site, openFleet, changes },
    looks: looksOf(site, openFleet),
    history: runHistory(site.folder),
  });
  return { calls, ended: changes.ended };
}

function refuse(
  response: ServerResponse,
  status: number,
  thrown: unknown,
  redaction?: DashboardSite["redaction"],
): void {
  const refused = { error: errorData(thrown) };
  // What has not been read of the request is not waited for.
  response.shouldKeepAlive = false;
  sendJson(response, status, redaction?.redact(refused) ?? refused);
}

function refuseMethod(response: ServerResponse, method: string, allowed: string): void {
  response.setHeader("allow", allowed);
  refuse(response, 405, wrongMethod(method, allowed));
}
