import { SlipwayError } from "../../errors/index.ts";
import { connectionWords } from "../../lib/index.ts";

/** What was tried, and where. */
export interface Tried {
  what: string;
  server: string;
}

const inWords = ({ what, server }: Tried): string => `Cannot ${what} at ${server}`;

export const serverUnreachable = (tried: Tried, cause: unknown) =>
  new SlipwayError({
    code: "K3S_UNREACHABLE",
    what: inWords(tried),
    why: connectionWords(cause),
    next: `Look whether K3s runs there: systemctl status k3s, and whether port 6443 is reachable from here`,
    transient: true,
    shared: tried.server,
    cause,
  });

export const serverSilent = (tried: Tried, timeoutMs: number, cause: unknown) =>
  new SlipwayError({
    code: "K3S_TIMEOUT",
    what: inWords(tried),
    why: `no answer within ${timeoutMs / 1000} s`,
    next: "Look at the load of the server and at the way to it, then run the command again",
    transient: true,
    shared: tried.server,
    cause,
  });

export const serverUntrusted = (tried: Tried, cause: unknown) =>
  new SlipwayError({
    code: "K3S_UNTRUSTED",
    what: inWords(tried),
    why: `its certificate does not come from this cluster's authority: ${reasonOf(cause)}`,
    next: "Check that no other cluster and no proxy answers at this address; its clock may be wrong as well",
    shared: tried.server,
    cause,
  });

export const notAllowed = (tried: Tried, f: { user: string | undefined; code: number; message: string }) =>
  new SlipwayError({
    code: "K3S_CALL_REFUSED",
    what: inWords(tried),
    why: `${refusal(f)}: ${f.message}`,
    next: "Check that the secrets beside the cluster file are those the cluster was made with",
    shared: tried.server,
  });

const refusal = ({ user, code }: { user: string | undefined; code: number }): string => {
  if (user === undefined) return "no password was given";
  return code === 403 ? `"${user}" may not ask that` : `the password of "${user}" was refused`;
};

export const answerStrange = (tried: Tried, answer: { code: number; message: string }) =>
  new SlipwayError({
    code: "K3S_ANSWER_STRANGE",
    what: inWords(tried),
    why: `it answered ${answer.code}: ${answer.message.slice(0, 200)}`,
    next: "Wait a moment while the server starts; if it stays so, look whether something else answers at this address",
    transient: answer.code >= 500,
    shared: tried.server,
  });

/** Whether somebody answered who is not of this cluster. Whose time alone is wrong is of it all the same. */
export const isStranger = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && thrown.code === "K3S_UNTRUSTED" && !isUntimely(thrown.cause);

export const isUntimely = (cause: unknown): boolean =>
  /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test((cause as { code?: string } | undefined)?.code ?? "");

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given");
