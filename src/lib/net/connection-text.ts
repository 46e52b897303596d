import { routeOf } from "./dial.ts";

const words: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection cut",
  EPIPE: "connection cut",
  ETIMEDOUT: "no answer",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to it",
  EHOSTDOWN: "no route to it",
  ENOTFOUND: "its name is unknown",
  EAI_AGAIN: "its name cannot be looked up now",
};

/** Why a connection did not come about, in a few words a person understands. */
export function connectionText(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  const known = typeof code === "string" ? words[code] : undefined;
  if (known !== undefined) return `${known}${routeOf(thrown)}`;
  return thrown instanceof Error ? thrown.message : "no answer";
}
