import { SlipwayError } from "../../errors/index.ts";
import { connectionWords, type BodyTooLargeError } from "../../lib/index.ts";
import type { KubeRef } from "./object.ts";
import type { StatusCause } from "./status.ts";

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

/** `found` in words where it was readable, yet not what was asked for. */
export const answerUnreadable = (tried: Tried, found: unknown) =>
  new SlipwayError({
    code: "KUBE_ANSWER_UNREADABLE",
    what: inWords(tried),
    why: `${tried.server} answered with ${typeof found === "string" ? found : "something that is not JSON"}`,
    next: "Check that this address is a Kubernetes API server and not a proxy's page",
    shared: tried.server,
    cause: found,
  });

export const answerTooLarge = (tried: Tried, cause: BodyTooLargeError) =>
  new SlipwayError({
    code: "KUBE_ANSWER_TOO_LARGE",
    what: inWords(tried),
    why: `${tried.server} sent more than ${cause.mostBytes / 1024 ** 2} MiB in one answer`,
    next: "Check that this address is the API server of this cluster; kubectl get --raw /version tells who answers",
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

/** Causes read `conflict with "helm" using apps/v1` and name a field each. */
export function fieldsOwned(tried: Tried, causes: StatusCause[]) {
  const byOwner = new Map<string, string[]>();
  for (const { message = "", field = "" } of causes) {
    const owner = /conflict with "([^"]*)"/.exec(message)?.[1] ?? message;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), field]);
  }
  const owned = [...byOwner].map(([owner, fields]) => `"${owner}" manages ${fields.join(", ")}`).join("; ");
  return new SlipwayError({
    code: "KUBE_FIELDS_OWNED",
    what: inWords(tried),
    why: `other values stand there, and somebody else set them: ${owned}`,
    next: "Leave these fields to their manager, or take them over on purpose",
  });
}

export const evictionHeld = (tried: Tried, causes: StatusCause[]) =>
  new SlipwayError({
    code: "KUBE_EVICTION_HELD",
    what: inWords(tried),
    why: causes.map(({ message }) => message ?? "a disruption budget allows none now").join("; "),
    next: "Wait until the other pods of this budget are healthy, or give it room (kubectl get pdb -A)",
    transient: true,
  });

type PodWords = { pod: string; why: string }[];

const listed = (pods: PodWords): string => pods.map(({ pod, why }) => `${pod}: ${why}`).join("; ");

export const drainRefused = (node: string, pods: PodWords) =>
  new SlipwayError({
    code: "KUBE_DRAIN_REFUSED",
    what: `Cannot drain node "${node}"`,
    why: listed(pods),
    next: "Move or remove these pods, or allow the loss, then run the command again; nothing was evicted",
  });

export const drainBlocked = (node: string, deadlineMs: number, pods: PodWords) =>
  new SlipwayError({
    code: "KUBE_DRAIN_BLOCKED",
    what: `Cannot drain node "${node}"`,
    why: `after ${Math.round(deadlineMs / 1000)} s it still holds ${listed(pods)}`,
    next: `Look at these pods and their budgets (kubectl get pdb -A), then run the command again; node "${node}" stays cordoned`,
  });

export const workloadFailed = (ref: KubeRef, why: string) =>
  new SlipwayError({
    code: "KUBE_WORKLOAD_FAILED",
    what: `Cannot get ${ref.kind} "${ref.namespace ?? ""}/${ref.name}" to do its work`,
    why,
    next: `Look at it with "kubectl -n ${ref.namespace ?? "default"} describe ${ref.kind.toLowerCase()} ${ref.name}", correct the cause, then run the command again`,
  });

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "no reason given");
