import { SlipwayError } from "../../errors/index.ts";
import { either, listed } from "./words.ts";

/** The cluster a cause was found in. Each cause says what is wrong, how that is known, and one thing to do about it. */
export interface Of {
  cluster: string;
}

export const unexplained = (f: Of & { symptom: string }) =>
  new SlipwayError({
    code: "DOCTOR_UNEXPLAINED",
    what: `Something is wrong with "${f.cluster}", and no question found the cause`,
    why: f.symptom,
    next: `Run "slipway doctor ${f.cluster} --log-level debug" and report what it prints`,
  });

export const nodeNotReady = (f: Of & { node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_READY",
    what: `The kubelet of ${f.node} says that it is not ready`,
    why: f.why,
    next: `See its log: talosctl -n ${f.node} logs kubelet; a restart of the node often ends it: talosctl -n ${f.node} reboot`,
  });

export const nodeNotRegistered = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_REGISTERED",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} and ${either(f.nodes.length, "is", "are")} not known to Kubernetes`,
    why: "the machine and its system answer, but its kubelet does not reach the API",
    next: `See what its kubelet says: talosctl -n ${f.nodes[0]} logs kubelet`,
  });

export const servingCertificatePending = (f: Of & { nodes: string[]; hasApprover: boolean }) =>
  new SlipwayError({
    code: "DOCTOR_CERTIFICATE_PENDING",
    what: `Nobody approved the serving ${either(f.nodes.length, "certificate", "certificates")} of ${listed(f.nodes)}`,
    why: f.hasApprover
      ? "the approver of the file is installed and has not approved them: it may not run, or the names do not fit"
      : "kubelets ask for one when rotation is on, and this cluster has no approver; logs, exec and metrics fail until then",
    next: f.hasApprover
      ? "See what the approver says: kubectl -n kube-system logs deployment/kubelet-csr-approver"
      : `Add kubelet-csr-approver to the add-ons in the file, then run "slipway up ${f.cluster}"`,
    else: "Approve them by hand, once: kubectl certificate approve NAME (names: kubectl get csr)",
  });

export const releaseStuck = (f: Of & { name: string; namespace: string; status: string }) =>
  new SlipwayError({
    code: "DOCTOR_RELEASE_STUCK",
    what: `Helm release ${f.namespace}/${f.name} is ${f.status}`,
    why:
      f.status === "failed"
        ? "its last change did not go through, and no later one made it good"
        : "somebody was cut off in the middle of it, and Helm refuses every change until that is cleared",
    next: `Run "slipway up ${f.cluster}", which clears releases of its own and goes on`,
    else: `One that is not Slipway's: helm -n ${f.namespace} rollback ${f.name}`,
  });

export const apiServiceDown = (f: Of & { name: string; service: string; why: string; held: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_API_EXTENSION_DOWN",
    what: `The API extension ${f.name} does not answer`,
    why: `${f.why}${f.held.length > 0 ? `; ${listed(f.held)} cannot end while it is listed` : ""}`,
    next: `Bring back what serves it (${f.service}), or if that was removed for good: kubectl delete apiservice ${f.name}`,
  });

export const namespaceStuck = (f: Of & { name: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_NAMESPACE_STUCK",
    what: `Namespace ${f.name} was ended and does not go`,
    why: f.why,
    next: `Bring back the program that should clear these objects, or remove their finalizers: kubectl -n ${f.name} get all`,
  });

export const twoOwners = (f: Of & { addon: string; other: string; object: string }) =>
  new SlipwayError({
    code: "DOCTOR_TWO_OWNERS",
    what: `Slipway and ${f.other} both keep add-on "${f.addon}"`,
    why: `${f.object} carries the mark of ${f.other}, and the file says the add-on is Slipway's: each reverts the other, and an upgrade brings back the older version`,
    next: `Hand it over: write owner: gitops at the add-on in the file, then run "slipway up ${f.cluster}"; nothing is removed`,
    else: `Keep it Slipway's: take it out of ${f.other}'s repository without pruning it`,
  });
