import { defineError, type ErrorDefinition } from "../../../errors/index.ts";
import type { Tried } from "../errors.ts";

type Refusal = ErrorDefinition<[tried: Tried, code: number, message: string | undefined]>;

const refused = (code: string, next: string, transient = false): Refusal =>
  defineError(code, (tried: Tried, status: number, message: string | undefined) => ({
    what: `Cannot ${tried.what} in Kubernetes`,
    why: `${tried.server} answered ${status}${message ? `: ${message}` : ""}`,
    next,
    transient,
    shared: tried.server,
  }));

/** Refusals that say more than their number, most particular first. */
export const particular: { reason?: string; message?: RegExp; cause?: string; error: Refusal }[] = [
  {
    reason: "AlreadyExists",
    error: refused(
      "KUBE_ALREADY_EXISTS",
      "Look at the object that has this name: use it, or choose another name",
    ),
  },
  {
    cause: "NamespaceTerminating",
    error: refused(
      "KUBE_NAMESPACE_TERMINATING",
      "Wait until the namespace is gone; its conditions say what holds it",
      true,
    ),
  },
  {
    message: /violates PodSecurity/,
    error: refused(
      "KUBE_POD_SECURITY",
      "Label the namespace with the level these pods need (pod-security.kubernetes.io/enforce), then run the command again",
    ),
  },
  {
    message: /failed calling webhook/,
    error: refused(
      "KUBE_WEBHOOK_DOWN",
      "Look at the pods behind this webhook; if their program was removed, remove its webhook configuration too",
      true,
    ),
  },
  {
    message: /more than one PodDisruptionBudget/,
    error: refused(
      "KUBE_BUDGETS_OVERLAP",
      "Remove all but one of the PodDisruptionBudgets that select this pod; waiting does not help",
    ),
  },
  {
    // The second is how server-side apply says it, and under a 500 that would else look like something to wait for.
    message: /strict decoding error|field not declared in schema/,
    error: refused(
      "KUBE_FIELDS_UNKNOWN",
      "Correct or remove the named fields: this cluster's version of the kind does not have them",
    ),
  },
  {
    message: /failed to create typed patch object/,
    error: refused("KUBE_INVALID", "Correct the named field, then run the command again"),
  },
];

export const byNumber: Record<number, Refusal> = {
  401: refused(
    "KUBE_UNAUTHORIZED",
    'The client certificate is not accepted: fetch a fresh kubeconfig with "slipway kubeconfig"',
  ),
  403: refused("KUBE_FORBIDDEN", "Use a kubeconfig whose user may do this"),
  404: refused("KUBE_NOT_FOUND", "Check the name and the namespace"),
  409: refused("KUBE_CONFLICT", "Somebody else changed the object: look at it, then run the command again"),
  410: refused("KUBE_EXPIRED", "List the objects again and go on from there", true),
  422: refused("KUBE_INVALID", "Correct the named field, then run the command again"),
  429: refused("KUBE_BUSY", "Wait a moment, then run the command again", true),
  504: refused(
    "KUBE_OUTCOME_UNKNOWN",
    "Check etcd's health and whether the change was made anyway, then run the command again",
    true,
  ),
};

export const serverError = refused(
  "KUBE_SERVER_ERROR",
  "Look at the control planes, then run the command again",
  true,
);
export const otherRefusal = refused("KUBE_REFUSED", "Correct the request");
