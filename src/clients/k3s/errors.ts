import { defineError, SlipwayError } from "../../errors/index.ts";
import { connectionText } from "../../lib/index.ts";

/** What was tried, and where. */
export interface Tried {
  what: string;
  server: string;
}

const asText = ({ what, server }: Tried): string => `Cannot ${what} at ${server}`;

export const serverUnreachable = defineError("K3S_UNREACHABLE", (tried: Tried, cause: unknown) => ({
  what: asText(tried),
  why: connectionText(cause),
  next: `Look whether K3s runs there: systemctl status k3s, and whether port 6443 is reachable from here`,
  transient: true,
  shared: tried.server,
  cause,
}));

export const serverSilent = defineError("K3S_TIMEOUT", (tried: Tried, timeoutMs: number, cause: unknown) => ({
  what: asText(tried),
  why: `no answer within ${timeoutMs / 1000} s`,
  next: "Look at the load of the server and at the network path to it, then run the command again",
  transient: true,
  shared: tried.server,
  cause,
}));

export const serverUntrusted = defineError("K3S_UNTRUSTED", (tried: Tried, cause: unknown) => ({
  what: asText(tried),
  why: `its certificate does not come from this cluster's authority: ${reasonOf(cause)}`,
  next: "Check that no other cluster and no proxy answers at this address; its clock may be wrong as well",
  shared: tried.server,
  cause,
}));

export const notAllowed = defineError(
  "K3S_CALL_REFUSED",
  (tried: Tried, f: { user: string | undefined; code: number; message: string }) => ({
    what: asText(tried),
    why: `${refusal(f)}: ${f.message}`,
    next: "Check that the secrets beside the cluster file are those the cluster was made with",
    shared: tried.server,
  }),
  [{}, { user: undefined }],
  [{}, { code: 403 }],
);

const refusal = ({ user, code }: { user: string | undefined; code: number }): string => {
  if (user === undefined) return "no password was given";
  return code === 403 ? `"${user}" may not ask that` : `the password of "${user}" was refused`;
};

export const answerStrange = defineError(
  "K3S_ANSWER_STRANGE",
  (tried: Tried, answer: { code: number; message: string }) => ({
    what: asText(tried),
    why: `it answered ${answer.code}: ${answer.message.slice(0, 200)}`,
    next: "Wait a moment while the server starts; if that does not help, check whether something else answers at this address",
    transient: answer.code >= 500,
    shared: tried.server,
  }),
);

/** Whether somebody answered who is not of this cluster. Whose time alone is wrong is of it all the same. */
export const isStranger = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && thrown.code === "K3S_UNTRUSTED" && !isUntimely(thrown.cause);

export const isUntimely = (cause: unknown): boolean =>
  /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test((cause as { code?: string } | undefined)?.code ?? "");

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given");
