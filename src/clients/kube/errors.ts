import { SlipwayError } from "../../errors/index.ts";
import { connectionWords } from "../../lib/index.ts";
import type { Status } from "./status.ts";

/** What was tried: `list nodes`, and where. */
export interface Tried {
  what: string;
  server: string;
}

const inWords = (tried: Tried): string => `Cannot ${tried.what} in Kubernetes`;

export const serverUnreachable = (tried: Tried, cause: unknown) =>
  new SlipwayError({
    code: "KUBE_UNREACHABLE",
    what: inWords(tried),
    why: `${connectionWords(cause)} at ${tried.server}`,
    next: "Check that a control plane runs and that its address is reachable from here, then run the command again",
    transient: true,
    shared: tried.server,
    cause,
  });

export const serverSilent = (tried: Tried, timeoutMs: number, cause: unknown) =>
  new SlipwayError({
    code: "KUBE_TIMEOUT",
    what: inWords(tried),
    why: `${tried.server} gave no answer within ${timeoutMs / 1000} s`,
    next: "Look at the load of the control planes, then run the command again",
    transient: true,
    shared: tried.server,
    cause,
  });

export const serverUntrusted = (tried: Tried, cause: unknown) =>
  new SlipwayError({
    code: "KUBE_UNTRUSTED",
    what: inWords(tried),
    why: `the certificate of ${tried.server} is not the one the kubeconfig asks for: ${reasonOf(cause)}`,
    next: 'Fetch a fresh kubeconfig with "slipway kubeconfig", and check that no other cluster answers at this address',
    shared: tried.server,
    cause,
  });

export const answerUnreadable = (tried: Tried, cause: unknown) =>
  new SlipwayError({
    code: "KUBE_ANSWER_UNREADABLE",
    what: inWords(tried),
    why: `${tried.server} answered with something that is not JSON`,
    next: "Check that this address is a Kubernetes API server and not a proxy's page",
    shared: tried.server,
    cause,
  });

export const kindUnknown = (tried: Tried, apiVersion: string, kind: string) =>
  new SlipwayError({
    code: "KUBE_KIND_UNKNOWN",
    what: inWords(tried),
    why: `the cluster serves no kind "${kind}" in "${apiVersion}"`,
    next: "Install the definition of this kind first, or use a version the cluster knows",
    // A definition applied a moment ago is served only after the server has taken it in.
    transient: true,
  });

export const kubeconfigUnusable = (why: string, cause?: unknown) =>
  new SlipwayError({
    code: "KUBE_KUBECONFIG_UNUSABLE",
    what: "Cannot use the kubeconfig",
    why,
    next: 'Write it anew with "slipway kubeconfig"',
    cause,
  });

const refusals: Record<number, { code: string; next: string; transient?: boolean }> = {
  401: {
    code: "KUBE_UNAUTHORIZED",
    next: 'The client certificate is not accepted: fetch a fresh kubeconfig with "slipway kubeconfig"',
  },
  403: { code: "KUBE_FORBIDDEN", next: "Use a kubeconfig whose user may do this" },
  404: { code: "KUBE_NOT_FOUND", next: "Check the name and the namespace" },
  409: {
    code: "KUBE_CONFLICT",
    next: "Somebody else changed the object: look at it, then run the command again",
  },
  410: { code: "KUBE_EXPIRED", next: "List the objects again and go on from there", transient: true },
  422: { code: "KUBE_INVALID", next: "Correct the named field, then run the command again" },
  429: { code: "KUBE_BUSY", next: "Wait a moment, then run the command again", transient: true },
};

/** The server understood and said no. */
export function callRefused(tried: Tried, code: number, status: Status | undefined): SlipwayError {
  const isServers = code >= 500;
  const refusal = refusals[code] ?? {
    code: isServers ? "KUBE_SERVER_ERROR" : "KUBE_REFUSED",
    next: isServers ? "Look at the control planes, then run the command again" : "Correct the request",
    transient: isServers,
  };
  return new SlipwayError({
    ...refusal,
    code: status?.reason === "AlreadyExists" ? "KUBE_ALREADY_EXISTS" : refusal.code,
    what: inWords(tried),
    why: `${tried.server} answered ${code}${status?.message ? `: ${status.message}` : ""}`,
    shared: tried.server,
  });
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given");
