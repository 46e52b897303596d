import type { Kind } from "../store/kinds.ts";
import { digText, isFields, type Fields, type KubeObject } from "../store/object.ts";

/** Fills in what the API server fills in, for the kinds where somebody would miss it. Returns a new object. */
export function withDefaults(kind: Kind, object: KubeObject): KubeObject {
  const complete = structuredClone(object);
  if (!kind.custom) completions[`${kind.group}/${kind.kind}`]?.(complete);
  return complete;
}

const completions: Record<string, (object: KubeObject) => void> = {
  "/Namespace": (object) => {
    const name = object.metadata.name ?? "";
    object.metadata.labels = { ...object.metadata.labels, "kubernetes.io/metadata.name": name };
    if (!isFields(object["spec"])) object["spec"] = { finalizers: ["kubernetes"] };
    object["status"] ??= { phase: "Active" };
  },
  "/Pod": (object) => {
    completePodSpec(fieldsAt(object, "spec"));
    object["status"] ??= { phase: "Pending", qosClass: "BestEffort" };
  },
  "/Node": (object) => {
    fieldsAt(object, "spec");
  },
  "/Secret": (object) => {
    object["type"] ??= "Opaque";
    if (!isFields(object["stringData"])) return;
    const data = fieldsAt(object, "data");
    for (const [name, text] of Object.entries(object["stringData"]))
      data[name] = Buffer.from(String(text)).toString("base64");
    delete object["stringData"];
  },
  "/Service": completeService,
  "/PersistentVolumeClaim": (object) => {
    fieldsAt(object, "spec")["volumeMode"] ??= "Filesystem";
    object["status"] ??= { phase: "Pending" };
  },
  "apps/Deployment": (object) => {
    const spec = fieldsAt(object, "spec");
    spec["replicas"] ??= 1;
    spec["revisionHistoryLimit"] ??= 10;
    spec["progressDeadlineSeconds"] ??= 600;
    spec["strategy"] ??= {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
    };
    completeTemplate(spec);
  },
  "apps/DaemonSet": (object) => {
    const spec = fieldsAt(object, "spec");
    spec["revisionHistoryLimit"] ??= 10;
    spec["updateStrategy"] ??= { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };
    completeTemplate(spec);
  },
  "apps/ReplicaSet": (object) => {
    const spec = fieldsAt(object, "spec");
    spec["replicas"] ??= 1;
    completeTemplate(spec);
  },
  "apps/StatefulSet": (object) => {
    const spec = fieldsAt(object, "spec");
    spec["replicas"] ??= 1;
    spec["podManagementPolicy"] ??= "OrderedReady";
    spec["updateStrategy"] ??= { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
    completeTemplate(spec);
  },
  "batch/Job": (object) => {
    const spec = fieldsAt(object, "spec");
    spec["parallelism"] ??= 1;
    spec["completions"] ??= 1;
    spec["backoffLimit"] ??= 6;
    const own = { "batch.kubernetes.io/controller-uid": object.metadata.uid ?? "" };
    spec["selector"] ??= { matchLabels: own };
    completeTemplate(spec);
    const metadata = fieldsAt(fieldsAt(spec, "template"), "metadata");
    metadata["labels"] = { ...fieldsAt(metadata, "labels"), ...own };
  },
  "policy/PodDisruptionBudget": (object) => {
    const spec = fieldsAt(object, "spec");
    if (spec["maxUnavailable"] === undefined) spec["minAvailable"] ??= 1;
  },
  "storage.k8s.io/StorageClass": (object) => {
    object["reclaimPolicy"] ??= "Delete";
    object["volumeBindingMode"] ??= "Immediate";
  },
};

function completeTemplate(spec: Fields): void {
  const template = fieldsAt(spec, "template");
  fieldsAt(template, "metadata");
  completePodSpec(fieldsAt(template, "spec"));
}

function completePodSpec(spec: Fields): void {
  spec["restartPolicy"] ??= "Always";
  spec["dnsPolicy"] ??= "ClusterFirst";
  spec["schedulerName"] ??= "default-scheduler";
  spec["terminationGracePeriodSeconds"] ??= 30;
  spec["securityContext"] ??= {};
  for (const container of [spec["containers"], spec["initContainers"]].flat()) {
    if (!isFields(container)) continue;
    container["imagePullPolicy"] ??=
      /:[^/]+$/.test(digText(container, "image")) && !digText(container, "image").endsWith(":latest")
        ? "IfNotPresent"
        : "Always";
    container["resources"] ??= {};
    container["terminationMessagePath"] ??= "/dev/termination-log";
    container["terminationMessagePolicy"] ??= "File";
    if (Array.isArray(container["ports"]))
      for (const port of container["ports"]) if (isFields(port)) port["protocol"] ??= "TCP";
  }
}

function completeService(object: KubeObject): void {
  const spec = fieldsAt(object, "spec");
  spec["type"] ??= "ClusterIP";
  spec["sessionAffinity"] ??= "None";
  if (spec["type"] !== "ExternalName") {
    spec["clusterIP"] ??= serviceAddress(`${object.metadata.namespace}/${object.metadata.name}`);
    spec["clusterIPs"] ??= [spec["clusterIP"]];
    spec["ipFamilies"] ??= ["IPv4"];
    spec["ipFamilyPolicy"] ??= "SingleStack";
    spec["internalTrafficPolicy"] ??= "Cluster";
  }
  if (Array.isArray(spec["ports"]))
    for (const port of spec["ports"])
      if (isFields(port)) {
        port["protocol"] ??= "TCP";
        port["targetPort"] ??= port["port"];
      }
  object["status"] ??= { loadBalancer: {} };
}

/** The same name always gets the same address; the API service is known to be the first. */
function serviceAddress(name: string): string {
  if (name === "default/kubernetes") return "10.96.0.1";
  if (name === "kube-system/kube-dns") return "10.96.0.10";
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 60_000;
  return `10.96.${1 + Math.floor(sum / 250)}.${1 + (sum % 250)}`;
}

function fieldsAt(holder: Fields, name: string): Fields {
  const found = holder[name];
  if (isFields(found)) return found;
  const made: Fields = {};
  holder[name] = made;
  return made;
}
