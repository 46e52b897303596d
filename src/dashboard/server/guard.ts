import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { SlipwayError } from "../../errors/index.ts";
import { foreignRequest, notJson, noToken, tooLarge } from "../errors.ts";

/** The little of a request that decides whether it is listened to. */
export type Asked = Pick<IncomingMessage, "method" | "url" | "headers">;

export interface Refusal {
  status: number;
  error: SlipwayError;
}

/** No question is longer. */
export const mostBodyBytes = 64 * 1024;

/** Any port: an SSH tunnel may end at another one here. Against names that lead here by a trick of DNS the name is what counts. */
const ownHosts = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request is turned away before anybody has looked at what it asks for; undefined: it may go on. The one place for it, and
 * every request comes through: files, questions and streams alike.
 */
export function refusalOf({ method = "", url = "", headers }: Asked, token: string): Refusal | undefined {
  const { host = "", origin } = headers;
  if (!ownHosts.test(host)) return { status: 403, error: foreignRequest("Host") };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, error: foreignRequest("Origin") };
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return { status: 403, error: foreignRequest("Sec-Fetch-Site") };
  if (isQuestion(url) && !isBearer(headers.authorization, token)) return { status: 401, error: noToken() };
  return method === "POST" ? bodyRefusal(headers) : undefined;
}

/** Whether more than a file of the page is asked for. */
export const isQuestion = (url: string): boolean => /^\/api(\/|\?|$)/i.test(url);

/** Compared by digests, so that how long it takes says nothing about the token. */
function isBearer(given: string | undefined, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given ?? ""), digest(`Bearer ${token}`));
}

/** What forms can send without asking first is not taken. */
function bodyRefusal(headers: Asked["headers"]): Refusal | undefined {
  if (!/^application\/json(;\s*charset=utf-8)?$/i.test(headers["content-type"] ?? ""))
    return { status: 415, error: notJson() };
  return Number(headers["content-length"] ?? 0) > mostBodyBytes
    ? { status: 413, error: tooLarge(mostBodyBytes) }
    : undefined;
}
