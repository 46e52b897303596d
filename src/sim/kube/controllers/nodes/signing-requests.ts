import { digList, digText, stampOf, type KubeObject } from "../../store/object.ts";
import { signRequest } from "../../kubelet/sign-request.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster, Controller } from "../controller.ts";
import { hasCondition } from "./node-fit.ts";

const csr = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
const approvers = /kubelet-serving-cert-approver|kubelet-csr-approver|talos-cloud-controller-manager/;

/** Approved requests are signed; those of kubelets are approved when something in the cluster does that. */
export const signingRequests: Controller = {
  concerns({ object, kind, type }, { store }) {
    if (type === "DELETED") return [];
    if (kind.kind === csr.kind) return [object.metadata.name ?? ""];
    if (kind.kind !== "Pod" || kind.group !== "" || !isApprover(object)) return [];
    return store.list(csr).map((one) => one.metadata.name ?? "");
  },
  run(name, cluster) {
    const { store } = cluster;
    const request = store.find({ ...csr, name });
    if (!request || digText(request, "status", "certificate") !== "" || hasCondition(request, "Denied"))
      return undefined;
    if (hasCondition(request, "Approved")) {
      void signRequest(digText(request, "spec", "request"), store.clock.now()).then(
        (pem) => finish(cluster, request, { certificate: Buffer.from(pem).toString("base64") }),
        (error: unknown) =>
          finish(cluster, request, { conditions: [...conditionsOf(request), failed(error, cluster)] }),
      );
    } else if (isApproved(cluster, request)) approve(cluster, request);
    return undefined;
  },
};

const conditionsOf = (request: KubeObject): unknown[] => digList(request, "status", "conditions");

const failed = (error: unknown, { clock }: Cluster) => ({
  type: "Failed",
  status: "True",
  reason: "SignerValidationFailure",
  message: error instanceof Error ? error.message : String(error),
  lastTransitionTime: stampOf(clock.now()),
});

function finish({ store }: Cluster, request: KubeObject, status: Record<string, unknown>): void {
  if (store.find(refOf(request))) store.patch(refOf(request), "merge", { status }, { subresource: "status" });
}

/** A kubelet's client request is approved by the controller manager, its serving request only by an approver. */
function isApproved({ store, faults }: Cluster, request: KubeObject): boolean {
  const signer = digText(request, "spec", "signerName");
  const node = digText(request, "spec", "username").replace("system:node:", "");
  if (faults.find("csr-never-approved", { node })) return false;
  if (signer === "kubernetes.io/kube-apiserver-client-kubelet") return true;
  if (signer !== "kubernetes.io/kubelet-serving") return false;
  return store.list({ apiVersion: "v1", kind: "Pod" }).some((pod) => isApprover(pod));
}

const isApprover = (pod: KubeObject): boolean =>
  hasCondition(pod, "Ready") &&
  digList(pod, "spec", "containers").some((container) => approvers.test(digText(container, "image")));

function approve({ store }: Cluster, request: KubeObject): void {
  const time = stampOf(store.clock.now());
  const approved = {
    type: "Approved",
    status: "True",
    reason: "AutoApproved",
    message: "Auto approving kubelet certificate after SubjectAccessReview.",
    lastUpdateTime: time,
    lastTransitionTime: time,
  };
  store.patch(refOf(request), "merge", { status: { conditions: [approved] } }, { subresource: "approval" });
}
