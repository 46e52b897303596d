import { defineError } from "../../errors/index.ts";
import { connectionText, type BodyTooLargeError } from "../../lib/index.ts";
import type { KubeRef } from "./kinds/object.ts";
import type { StatusCause } from "./kinds/status.ts";

/** What was tried: `list nodes`, and where. */
export interface Tried {
  what: string;
  server: string;
}

const asText = (tried: Tried): string => `Cannot ${tried.what} in Kubernetes`;

export const serverUnreachable = defineError("KUBE_UNREACHABLE", (tried: Tried, cause: unknown) => ({
  what: asText(tried),
  why: `${connectionText(cause)} at ${tried.server}`,
  next: "Check that a control plane runs and that its address is reachable from here, then run the command again",
  transient: true,
  shared: tried.server,
  cause,
}));

export const serverSilent = defineError(
  "KUBE_TIMEOUT",
  (tried: Tried, timeoutMs: number, cause: unknown) => ({
    what: asText(tried),
    why: `${tried.server} gave no answer within ${timeoutMs / 1000} s`,
    next: "Look at the load of the control planes, then run the command again",
    transient: true,
    shared: tried.server,
    cause,
  }),
);

export const serverUntrusted = defineError("KUBE_UNTRUSTED", (tried: Tried, cause: unknown) => ({
  what: asText(tried),
  why: `the certificate of ${tried.server} is not the one the kubeconfig asks for: ${reasonOf(cause)}`,
  next: 'Fetch a fresh kubeconfig with "slipway kubeconfig", and check that no other cluster answers at this address',
  shared: tried.server,
  cause,
}));

/** `found` in words where it was readable, yet not what was asked for. */
export const answerUnreadable = defineError(
  "KUBE_ANSWER_UNREADABLE",
  (tried: Tried, found: unknown) => ({
    what: asText(tried),
    why: `${tried.server} answered with ${typeof found === "string" ? found : "something that is not JSON"}`,
    next: "Check that this address is a Kubernetes API server and not a proxy's page",
    shared: tried.server,
    cause: found,
  }),
  [{}, "<what was found>"],
);

export const answerTooLarge = defineError(
  "KUBE_ANSWER_TOO_LARGE",
  (tried: Tried, cause: BodyTooLargeError) => ({
    what: asText(tried),
    why: `${tried.server} sent more than ${cause.mostBytes / 1024 ** 2} MiB in one answer`,
    next: "Check that this address is the API server of this cluster; kubectl get --raw /version shows what answers",
    shared: tried.server,
    cause,
  }),
);

export const kindUnknown = defineError(
  "KUBE_KIND_UNKNOWN",
  (tried: Tried, apiVersion: string, kind: string) => ({
    what: asText(tried),
    why: `the cluster serves no kind "${kind}" in "${apiVersion}"`,
    next: "Install the definition of this kind first, or use a version the cluster knows",
    // A definition applied a moment ago is served only after the server has taken it in.
    transient: true,
  }),
);

export const kubeconfigUnusable = defineError("KUBE_KUBECONFIG_UNUSABLE", (why: string, cause?: unknown) => ({
  what: "Cannot use the kubeconfig",
  why,
  next: 'Write it again with "slipway kubeconfig"',
  cause,
}));

/** Causes read `conflict with "helm" using apps/v1` and name a field each. */
export const fieldsOwned = defineError("KUBE_FIELDS_OWNED", (tried: Tried, causes: StatusCause[]) => {
  const byOwner = new Map<string, string[]>();
  for (const { message = "", field = "" } of causes) {
    const owner = /conflict with "([^"]*)"/.exec(message)?.[1] ?? message;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), field]);
  }
  const owned = [...byOwner].map(([owner, fields]) => `"${owner}" manages ${fields.join(", ")}`).join("; ");
  return {
    what: asText(tried),
    why: `somebody else set other values: ${owned}`,
    next: "Leave these fields to their manager, or take them over on purpose",
  };
});

export const evictionHeld = defineError("KUBE_EVICTION_HELD", (tried: Tried, causes: StatusCause[]) => ({
  what: asText(tried),
  why: causes.map(({ message }) => message ?? "a disruption budget allows none now").join("; "),
  next: "Wait until the other pods of this budget are healthy, or let the budget allow more (kubectl get pdb -A)",
  transient: true,
}));

type PodTexts = { pod: string; why: string }[];

const listed = (pods: PodTexts): string => pods.map(({ pod, why }) => `${pod}: ${why}`).join("; ");

export const drainRefused = defineError("KUBE_DRAIN_REFUSED", (node: string, pods: PodTexts) => ({
  what: `Cannot drain node "${node}"`,
  why: listed(pods),
  next: "Move or remove these pods, or allow the loss, then run the command again; nothing was evicted",
}));

export const drainBlocked = defineError(
  "KUBE_DRAIN_BLOCKED",
  (node: string, deadlineMs: number, pods: PodTexts) => ({
    what: `Cannot drain node "${node}"`,
    why: `after ${Math.round(deadlineMs / 1000)} s it still holds ${listed(pods)}`,
    next: `Look at these pods and their budgets (kubectl get pdb -A), then run the command again; node "${node}" stays cordoned`,
  }),
);

export const workloadFailed = defineError("KUBE_WORKLOAD_FAILED", (ref: KubeRef, why: string) => ({
  what: `Cannot get ${ref.kind} "${ref.namespace ?? ""}/${ref.name}" to do its work`,
  why,
  next: `Look at it with "kubectl -n ${ref.namespace ?? "default"} describe ${ref.kind.toLowerCase()} ${ref.name}", correct the cause, then run the command again`,
}));

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given");
