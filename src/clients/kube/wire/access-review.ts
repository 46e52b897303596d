import { callKube, type Wire } from "./call.ts";

/** What one would like to do: `create deployments.apps in kube-system`. */
export interface AccessQuestion {
  verb: string;
  /** Empty for the core group. */
  group?: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

export interface AccessAnswer {
  isAllowed: boolean;
  reason: string;
}

/** Asks the server before the deed: a missing right found in preflight is cheaper than one found half-way. */
export async function askAccess(
  wire: Wire,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const review = (await callKube(wire, {
    what: `ask whether we may ${question.verb} ${question.resource}`,
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: question },
    },
    signal,
  })) as { status?: { allowed?: boolean; reason?: string; evaluationError?: string } };
  const { allowed = false, reason, evaluationError } = review.status ?? {};
  return { isAllowed: allowed, reason: reason || evaluationError || "" };
}
