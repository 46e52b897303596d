import { SlipwayError } from "../../errors/index.ts";
import { evictionHeld, fieldsOwned, type Tried } from "./errors.ts";
import { causesOf, type Status } from "./status.ts";

interface Refusal {
  code: string;
  next: string;
  transient?: boolean;
}

/** Refusals that say more than their number, most particular first. */
const particular: (Refusal & { reason?: string; message?: RegExp; cause?: string })[] = [
  {
    reason: "AlreadyExists",
    code: "KUBE_ALREADY_EXISTS",
    next: "Look at the object that has this name: use it, or choose another name",
  },
  {
    cause: "NamespaceTerminating",
    code: "KUBE_NAMESPACE_TERMINATING",
    next: "Wait until the namespace is gone; what holds it stands in its conditions",
    transient: true,
  },
  {
    message: /violates PodSecurity/,
    code: "KUBE_POD_SECURITY",
    next: "Label the namespace with the level these pods need (pod-security.kubernetes.io/enforce), then run the command again",
  },
  {
    message: /failed calling webhook/,
    code: "KUBE_WEBHOOK_DOWN",
    next: "Look at the pods behind this webhook; if their program was removed, remove its webhook configuration too",
    transient: true,
  },
  {
    message: /more than one PodDisruptionBudget/,
    code: "KUBE_BUDGETS_OVERLAP",
    next: "Remove all but one of the PodDisruptionBudgets that select this pod; waiting does not help",
  },
  {
    // The second is how server-side apply says it, and under a 500 that would else look like something to wait for.
    message: /strict decoding error|field not declared in schema/,
    code: "KUBE_FIELDS_UNKNOWN",
    next: "Correct or remove the named fields: this cluster's version of the kind does not have them",
  },
  {
    message: /failed to create typed patch object/,
    code: "KUBE_INVALID",
    next: "Correct the named field, then run the command again",
  },
];

const byNumber: Record<number, Refusal> = {
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
  504: {
    code: "KUBE_OUTCOME_UNKNOWN",
    next: "Look at etcd's health and whether it was done all the same, then run the command again",
    transient: true,
  },
};

/** The server understood and said no. */
export function callRefused(tried: Tried, code: number, status: Status | undefined): SlipwayError {
  const conflicts = causesOf(status, "FieldManagerConflict");
  if (conflicts.length > 0) return fieldsOwned(tried, conflicts);
  const budgets = causesOf(status, "DisruptionBudget");
  if (code === 429 && budgets.length > 0) return evictionHeld(tried, budgets);
  const refusal = particularOf(status) ?? byNumber[code] ?? anyOther(code);
  return new SlipwayError({
    ...refusal,
    what: `Cannot ${tried.what} in Kubernetes`,
    why: `${tried.server} answered ${code}${status?.message ? `: ${status.message}` : ""}`,
    shared: tried.server,
  });
}

function particularOf(status: Status | undefined): Refusal | undefined {
  const found = particular.find(
    ({ reason, message, cause }) =>
      (reason !== undefined && status?.reason === reason) ||
      (message !== undefined && message.test(status?.message ?? "")) ||
      (cause !== undefined && causesOf(status, cause).length > 0),
  );
  return found && { code: found.code, next: found.next, transient: found.transient ?? false };
}

function anyOther(code: number): Refusal {
  const isServers = code >= 500;
  return {
    code: isServers ? "KUBE_SERVER_ERROR" : "KUBE_REFUSED",
    next: isServers ? "Look at the control planes, then run the command again" : "Correct the request",
    transient: isServers,
  };
}
