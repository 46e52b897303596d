import { defineError } from "../../../errors/index.ts";

/** A pod in trouble, and whose it is. */
export interface Place {
  namespace: string;
  workload: string;
  /** How kubectl finds its pods. */
  labels: string;
  pod: string;
  node?: string | undefined;
}

const where = ({ pod, node }: Place): string => (node === undefined ? pod : `${pod} on ${node}`);

export const imageNotPulled = defineError(
  "DOCTOR_IMAGE_NOT_PULLED",
  (f: Place & { image: string; why: string; registries: string }) => ({
    what: `${where(f)} cannot pull ${f.image}`,
    why: f.why,
    next: `Check the name, the registry and whether it can be reached from ${f.node ?? "the node"}; a registry mirror or login is set in the file under ${f.registries}`,
  }),
  [{ node: undefined }],
);

export const podCrashes = defineError(
  "DOCTOR_POD_CRASHES",
  (f: Place & { why: string; lastWords: string | undefined }) => ({
    what: `${where(f)} of ${f.namespace}/${f.workload} crashes again and again`,
    why: f.lastWords === undefined ? f.why : `its last output was: ${f.lastWords}`,
    next: `Correct what it names; all of it: kubectl -n ${f.namespace} logs ${f.pod} --previous`,
  }),
  [{ lastWords: undefined }],
);

export const podUnplaced = defineError("DOCTOR_POD_UNPLACED", (f: Place & { why: string }) => ({
  what: `No node takes ${f.pod} of ${f.namespace}/${f.workload}`,
  why: f.why,
  next: "Give it a node with free capacity, for example one more worker in the file, or remove the taint, selector or request it names",
}));

export const podForbidden = defineError("DOCTOR_POD_FORBIDDEN", (f: Place & { why: string }) => ({
  what: `Pod Security admits no pod of ${f.namespace}/${f.workload}`,
  why: f.why,
  next: `Give the namespace the level its pods need: kubectl label namespace ${f.namespace} pod-security.kubernetes.io/enforce=privileged --overwrite`,
}));

export const webhookDown = defineError(
  "DOCTOR_WEBHOOK_DOWN",
  (f: Place & { webhook: string; why: string }) => ({
    what: `The webhook ${f.webhook} does not answer, and ${f.namespace}/${f.workload} cannot be made without it`,
    why: f.why,
    next: "Look at the pods of the service it names; if that program was removed, remove its webhook configuration too: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
  }),
);

export const workloadNotReady = defineError(
  "DOCTOR_WORKLOAD_NOT_READY",
  (f: { namespace: string; workload: string; labels: string; why: string }) => ({
    what: `${f.namespace}/${f.workload} does not become ready`,
    why: f.why,
    next:
      f.labels === ""
        ? `See its events: kubectl -n ${f.namespace} describe pods`
        : `See its events and log: kubectl -n ${f.namespace} describe pods -l ${f.labels}; kubectl -n ${f.namespace} logs --all-containers -l ${f.labels}`,
  }),
  [{ labels: "" }],
);
