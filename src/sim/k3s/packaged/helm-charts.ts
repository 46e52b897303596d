import {
  digList,
  digText,
  ensure,
  type Controller,
  type KubeObject,
  type Manifest,
} from "../../kube/index.ts";
import { chartContents } from "./packaged-manifests.ts";

/** Each chart object becomes a job; what the packaged charts hold appears once its job is done. */
export const helmCharts: Controller = {
  concerns({ object, kind, type }) {
    if (type === "DELETED") return [];
    const { name = "", namespace = "" } = object.metadata;
    if (kind.kind === "HelmChart") return [`${namespace}/${name}`];
    const isOurs = kind.kind === "Job" && name.startsWith(jobName(""));
    return isOurs ? [`${namespace}/${name.slice(jobName("").length)}`] : [];
  },
  run(key, { store }) {
    const [namespace = "", name = ""] = key.split("/");
    const chart = store.find({ apiVersion: "helm.cattle.io/v1", kind: "HelmChart", namespace, name });
    if (chart === undefined) return undefined;
    ensure(store, [jobOf(chart)], "helm-controller");
    const job = store.find({ apiVersion: "batch/v1", kind: "Job", namespace, name: jobName(name) });
    if (!isComplete(job)) return undefined;
    ensure(store, chartContents[name]?.() ?? [], "helm");
    const status = { jobName: jobName(name) };
    store.patch(
      { apiVersion: chart.apiVersion, kind: chart.kind, namespace, name },
      "merge",
      { status },
      { subresource: "status", fieldManager: "helm-controller" },
    );
    return undefined;
  },
};

const jobName = (chart: string): string => `helm-install-${chart}`;

const jobOf = ({ apiVersion, kind, metadata }: KubeObject): Manifest => {
  const { name = "", namespace = "", uid = "" } = metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      ...{ name: jobName(name), namespace },
      labels: { "helmcharts.helm.cattle.io/chart": name },
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    spec: {
      backoffLimit: 1000,
      template: {
        metadata: { labels: { "helmcharts.helm.cattle.io/chart": name } },
        spec: {
          restartPolicy: "OnFailure",
          tolerations: [{ operator: "Exists", effect: "NoSchedule" }],
          containers: [{ name: "helm", image: "rancher/klipper-helm:v0.10.1", args: ["install"] }],
        },
      },
    },
  };
};

const isComplete = (job: KubeObject | undefined): boolean =>
  digList(job, "status", "conditions").some(
    (item) => digText(item, "type") === "Complete" && digText(item, "status") === "True",
  );
