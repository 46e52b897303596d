import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../api-error.ts";
import { callerOf, type Caller } from "./caller.ts";
import { seconds, type Cluster } from "../cluster.ts";

const ticketLifeSeconds = 7200;

/** A value behind its name in a header, with `=` or a blank between them. */
function namedIn(header: string | undefined, name: string): string {
  const raw = new RegExp(`(?:^|\\s)${name}[= ]([^;]*)`).exec(header ?? "")?.[1] ?? "";
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** A ticket comes as a cookie, or where a token is expected. */
const ticketIn = ({ cookie, authorization }: IncomingHttpHeaders): string =>
  namedIn(cookie, "PVEAuthCookie") || namedIn(authorization, "PVEAuthCookie");

/** The API token a request carries, right or wrong; it counts only where there is no ticket. */
export function tokenIn(headers: IncomingHttpHeaders): string | undefined {
  const token = namedIn(headers.authorization, "PVEAPIToken");
  return token === "" || ticketIn(headers) !== "" ? undefined : token;
}

/** Finds out who calls, or throws the 401 whose text the server puts into the reason phrase only. */
export function authenticate(cluster: Cluster, headers: IncomingHttpHeaders, method: string): Caller {
  const token = tokenIn(headers);
  if (token !== undefined) return callerOf(checkToken(cluster, token));
  const ticket = ticketIn(headers);
  if (ticket === "") throw new ApiError(401, "No ticket");
  const user = ticketUser(cluster, ticket);
  if (user === undefined) throw new ApiError(401, "Authentication failed!");
  const csrf = headers["csrfpreventiontoken"];
  if (method !== "GET" && !isCsrfToken(cluster, user, typeof csrf === "string" ? csrf : "")) {
    throw new ApiError(401, "Permission denied - invalid csrf token");
  }
  return callerOf(user);
}

function checkToken(cluster: Cluster, text: string): string {
  const [, id = "", secret = ""] = /^(.+?![^=]+)=(.+)$/.exec(text) ?? [];
  const token = cluster.state.tokens[id];
  const isValid = token && (token.expire === 0 || token.expire > seconds(cluster));
  if (!isValid || !isAlive(cluster, id.split("!")[0] ?? "") || !isSame(token.secret, secret)) {
    throw new ApiError(401, "Authentication failed!");
  }
  return id;
}

const sign = (cluster: Cluster, text: string): string =>
  createHmac("sha512", cluster.state.ticketKey).update(text).digest("base64");

const stamp = (cluster: Cluster): string => seconds(cluster).toString(16).toUpperCase().padStart(8, "0");

export function newTicket(cluster: Cluster, user: string): { ticket: string; csrf: string } {
  const plain = `PVE:${user}:${stamp(cluster)}`;
  const time = stamp(cluster);
  return {
    ticket: `${plain}::${sign(cluster, plain)}`,
    csrf: `${time}:${sign(cluster, `${time}:${user}`).slice(0, 43)}`,
  };
}

/** The user a ticket was made for, if it is genuine and not too old. */
export function ticketUser(cluster: Cluster, ticket: string): string | undefined {
  const [, plain = "", user = "", time = "", signature = ""] =
    /^(PVE:([^:]+):([0-9A-F]{8}))::(.+)$/.exec(ticket) ?? [];
  if (plain === "" || !isSame(sign(cluster, plain), signature)) return undefined;
  const age = seconds(cluster) - Number.parseInt(time, 16);
  return age <= ticketLifeSeconds && isAlive(cluster, user) ? user : undefined;
}

/** Whether an account exists and is neither switched off nor out of date; root's always lives. */
export function isAlive(cluster: Cluster, user: string): boolean {
  const account = cluster.state.users[user];
  if (user === "root@pam") return account !== undefined;
  return account?.enable === true && (account.expire === 0 || account.expire > seconds(cluster));
}

function isCsrfToken(cluster: Cluster, user: string, token: string): boolean {
  const [time = "", signature = ""] = token.split(":");
  const age = seconds(cluster) - Number.parseInt(time, 16);
  return age <= ticketLifeSeconds && isSame(sign(cluster, `${time}:${user}`).slice(0, 43), signature);
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
