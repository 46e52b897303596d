import { SlipwayError } from "../../errors/index.ts";

/** A pod in trouble, and whose it is. */
export interface Place {
  namespace: string;
  workload: string;
  /** How kubectl finds its pods. */
  labels: string;
  pod: string;
  node?: string;
}

const where = ({ pod, node }: Place): string => (node === undefined ? pod : `${pod} on ${node}`);

export const imageNotPulled = (f: Place & { image: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_IMAGE_NOT_PULLED",
    what: `${where(f)} cannot pull ${f.image}`,
    why: f.why,
    next: `Check the name, the registry and the way to it from ${f.node ?? "the node"}; a registry mirror or login stands in the file under talos.registries`,
  });

export const podCrashes = (f: Place & { why: string; lastWords: string | undefined }) =>
  new SlipwayError({
    code: "DOCTOR_POD_CRASHES",
    what: `${where(f)} of ${f.namespace}/${f.workload} crashes again and again`,
    why: f.lastWords === undefined ? f.why : `its last words were: ${f.lastWords}`,
    next: `Correct what it names; all of it: kubectl -n ${f.namespace} logs ${f.pod} --previous`,
  });

export const podUnplaced = (f: Place & { why: string }) =>
  new SlipwayError({
    code: "DOCTOR_POD_UNPLACED",
    what: `No node takes ${f.pod} of ${f.namespace}/${f.workload}`,
    why: f.why,
    next: "Give it a node with room, or remove the taint, selector or request it names; a worker more in the file is room too",
  });

export const podForbidden = (f: Place & { why: string }) =>
  new SlipwayError({
    code: "DOCTOR_POD_FORBIDDEN",
    what: `Pod Security lets no pod of ${f.namespace}/${f.workload} in`,
    why: f.why,
    next: `Give the namespace the level its pods need: kubectl label namespace ${f.namespace} pod-security.kubernetes.io/enforce=privileged --overwrite`,
  });

export const webhookDown = (f: Place & { webhook: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_WEBHOOK_DOWN",
    what: `The webhook ${f.webhook} does not answer, and ${f.namespace}/${f.workload} cannot be made without it`,
    why: f.why,
    next: "Look at the pods of the service it names; if that program was removed, remove its webhook configuration too: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
  });

export const workloadNotReady = (f: { namespace: string; workload: string; labels: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_WORKLOAD_NOT_READY",
    what: `${f.namespace}/${f.workload} does not become ready`,
    why: f.why,
    next:
      f.labels === ""
        ? `See its events: kubectl -n ${f.namespace} describe pods`
        : `See its events and log: kubectl -n ${f.namespace} describe pods -l ${f.labels}; kubectl -n ${f.namespace} logs --all-containers -l ${f.labels}`,
  });
