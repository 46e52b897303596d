import { defineError } from "../../errors/index.ts";
import { either, listed } from "./text.ts";

/** The cluster a cause was found in. Each cause says what is wrong, how that is known, and one thing to do about it. */
export interface Of {
  cluster: string;
}

export const unexplained = defineError("DOCTOR_UNEXPLAINED", (f: Of & { symptom: string }) => ({
  what: `Something is wrong with "${f.cluster}", and no check found the cause`,
  why: f.symptom,
  next: `Run "slipway doctor ${f.cluster} --log-level debug" and report what it prints`,
}));

export const nodeNotReady = defineError(
  "DOCTOR_NODE_NOT_READY",
  (f: Of & { node: string; why: string; logCommand: string; restartCommand: string }) => ({
    what: `The kubelet of ${f.node} says that it is not ready`,
    why: f.why,
    next: `See its log: ${f.logCommand}; a restart of the node often ends it: ${f.restartCommand}`,
  }),
);

export const nodeNotRegistered = defineError(
  "DOCTOR_NODE_NOT_REGISTERED",
  (f: Of & { nodes: string[]; logCommand: string }) => ({
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} and ${either(f.nodes.length, "is", "are")} not known to Kubernetes`,
    why: "the machine and its system answer, but its kubelet does not reach the API",
    next: `See what its kubelet says: ${f.logCommand}`,
  }),
);

export const servingCertificatePending = defineError(
  "DOCTOR_CERTIFICATE_PENDING",
  (f: Of & { nodes: string[]; hasApprover: boolean }) => ({
    what: `Nothing approved the serving ${either(f.nodes.length, "certificate", "certificates")} of ${listed(f.nodes)}`,
    why: f.hasApprover
      ? "the approver of the file is installed and has not approved them: it may not run, or the names do not fit"
      : "kubelets ask for one when rotation is on, and this cluster has no approver; logs, exec and metrics fail until then",
    next: f.hasApprover
      ? "See what the approver says: kubectl -n kube-system logs deployment/kubelet-csr-approver"
      : `Add kubelet-csr-approver to the add-ons in the file, then run "slipway up ${f.cluster}"`,
    else: "Approve them by hand, once: kubectl certificate approve NAME (names: kubectl get csr)",
  }),
  [{ hasApprover: false }],
);

export const releaseStuck = defineError(
  "DOCTOR_RELEASE_STUCK",
  (f: Of & { name: string; namespace: string; status: string }) => ({
    what: `Helm release ${f.namespace}/${f.name} is ${f.status}`,
    why:
      f.status === "failed"
        ? "its last change did not go through, and no later one repaired it"
        : "an operation on it was interrupted, and Helm refuses every change until that is cleared",
    next: `Run "slipway up ${f.cluster}", which clears its own releases and continues`,
    else: `One that is not Slipway's: helm -n ${f.namespace} rollback ${f.name}`,
  }),
  [{ status: "failed" }],
);

export const apiServiceDown = defineError(
  "DOCTOR_API_EXTENSION_DOWN",
  (f: Of & { name: string; service: string; why: string; held: string[] }) => ({
    what: `The API extension ${f.name} does not answer`,
    why: `${f.why}${f.held.length > 0 ? `; ${listed(f.held)} cannot end while it is listed` : ""}`,
    next: `Bring back what serves it (${f.service}), or if that was removed for good: kubectl delete apiservice ${f.name}`,
  }),
  [{ held: [] }],
);

export const namespaceStuck = defineError(
  "DOCTOR_NAMESPACE_STUCK",
  (f: Of & { name: string; why: string }) => ({
    what: `Namespace ${f.name} is being deleted and does not go away`,
    why: f.why,
    next: `Bring back the program that should clear these objects, or remove their finalizers: kubectl -n ${f.name} get all`,
  }),
);

export const twoOwners = defineError(
  "DOCTOR_TWO_OWNERS",
  (f: Of & { addon: string; other: string; object: string }) => ({
    what: `Slipway and ${f.other} both manage add-on "${f.addon}"`,
    why: `${f.object} carries the mark of ${f.other}, and the file says the add-on is Slipway's: each reverts what the other changes, and an upgrade brings back the older version`,
    next: `Hand it over: write owner: gitops at the add-on in the file, then run "slipway up ${f.cluster}"; nothing is removed`,
    else: `Keep it Slipway's: take it out of ${f.other}'s repository without pruning it`,
  }),
);
