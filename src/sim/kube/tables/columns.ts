import { ageOf } from "./age.ts";
import type { Column } from "./column.ts";
import type { Kind, PrinterColumn } from "../store/kinds.ts";
import { moreColumns } from "./more-columns.ts";
import { nodeColumns } from "./node-columns.ts";
import { dig, digList, digNumber, digText, isFields, type KubeObject } from "../store/object.ts";

const nameColumn: Column = { name: "Name", cell: (object) => object.metadata.name };
const ageColumn: Column = {
  name: "Age",
  cell: (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs),
};

const text = (name: string, ...path: string[]): Column => ({
  name,
  cell: (object) => digText(object, ...path),
});
const count = (name: string, ...path: string[]): Column => ({
  name,
  type: "integer",
  cell: (object) => digNumber(object, ...path),
});
const wide = (column: Column): Column => ({ ...column, priority: 1 });

/** The columns of a kind: its own, those its definition names, or name and age. */
export function columnsOf(kind: Kind): Column[] {
  if (kind.custom) return [nameColumn, ...kind.custom.columns.map(customColumn)];
  const own = builtInColumns[kind.kind];
  if (!own) return [nameColumn, ageColumn];
  const columns = [nameColumn, ...own];
  if (columns.some((column) => column.name === "Age" || column.name === "Created At")) return columns;
  const firstWide = columns.findIndex((column) => column.priority);
  columns.splice(firstWide === -1 ? columns.length : firstWide, 0, ageColumn);
  return columns;
}

const containers = (object: KubeObject): unknown[] =>
  digList(object, "spec", "template", "spec", "containers");

const workload: Column[] = [
  wide({
    name: "Containers",
    cell: (object) =>
      containers(object)
        .map((item) => digText(item, "name"))
        .join(","),
  }),
  wide({
    name: "Images",
    cell: (object) =>
      containers(object)
        .map((item) => digText(item, "image"))
        .join(","),
  }),
  wide({ name: "Selector", cell: (object) => pairs(dig(object, "spec", "selector", "matchLabels")) }),
];

const pairs = (value: unknown): string =>
  isFields(value)
    ? Object.entries(value)
        .map(([name, item]) => `${name}=${String(item)}`)
        .join(",")
    : "<none>";

const readyOf = (object: KubeObject): string =>
  `${digNumber(object, "status", "readyReplicas")}/${digNumber(object, "spec", "replicas")}`;

const size =
  (...path: string[]) =>
  (object: KubeObject) => {
    const value = dig(object, ...path);
    return isFields(value) ? Object.keys(value).length : 0;
  };

const statuses = (pod: KubeObject): unknown[] => digList(pod, "status", "containerStatuses");

function statusOf(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
  const waiting = statuses(pod)
    .map((item) => digText(item, "state", "waiting", "reason"))
    .find((reason) => reason !== "");
  const phase = digText(pod, "status", "phase");
  return waiting ?? (digText(pod, "status", "reason") || (phase === "Succeeded" ? "Completed" : phase));
}

const podColumns: Column[] = [
  {
    name: "Ready",
    cell: (pod) => {
      const ready = statuses(pod).filter((item) => dig(item, "ready") === true).length;
      return `${ready}/${digList(pod, "spec", "containers").length}`;
    },
  },
  { name: "Status", cell: statusOf },
  {
    name: "Restarts",
    cell: (pod) =>
      String(statuses(pod).reduce<number>((sum, item) => sum + digNumber(item, "restartCount"), 0)),
  },
  { name: "Age", cell: (pod, nowMs) => ageOf(pod.metadata.creationTimestamp, nowMs) },
  { name: "IP", priority: 1, cell: (pod) => digText(pod, "status", "podIP") || "<none>" },
  { name: "Node", priority: 1, cell: (pod) => digText(pod, "spec", "nodeName") || "<none>" },
  { name: "Nominated Node", priority: 1, cell: () => "<none>" },
  { name: "Readiness Gates", priority: 1, cell: () => "<none>" },
];

const builtInColumns: Record<string, Column[]> = {
  Node: nodeColumns,
  Pod: podColumns,
  Namespace: [text("Status", "status", "phase")],
  ConfigMap: [{ name: "Data", type: "integer", cell: size("data") }],
  Secret: [text("Type", "type"), { name: "Data", type: "integer", cell: size("data") }],
  Service: [
    text("Type", "spec", "type"),
    { name: "Cluster-IP", cell: (object) => digText(object, "spec", "clusterIP") || "<none>" },
    {
      name: "External-IP",
      cell: (object) =>
        digList(object, "status", "loadBalancer", "ingress")
          .map((item) => digText(item, "ip") || digText(item, "hostname"))
          .join(",") || (digText(object, "spec", "type") === "LoadBalancer" ? "<pending>" : "<none>"),
    },
    {
      name: "Port(s)",
      cell: (object) =>
        digList(object, "spec", "ports")
          .map((port) => `${digText(port, "port")}/${digText(port, "protocol")}`)
          .join(",") || "<none>",
    },
    ageColumn,
    wide({ name: "Selector", cell: (object) => pairs(dig(object, "spec", "selector")) }),
  ],
  Deployment: [
    { name: "Ready", cell: readyOf },
    count("Up-to-date", "status", "updatedReplicas"),
    count("Available", "status", "availableReplicas"),
    ...workload,
  ],
  StatefulSet: [{ name: "Ready", cell: readyOf }, ...workload.slice(0, 2)],
  ReplicaSet: [
    count("Desired", "spec", "replicas"),
    count("Current", "status", "replicas"),
    count("Ready", "status", "readyReplicas"),
    ...workload,
  ],
  DaemonSet: [
    count("Desired", "status", "desiredNumberScheduled"),
    count("Current", "status", "currentNumberScheduled"),
    count("Ready", "status", "numberReady"),
    count("Up-to-date", "status", "updatedNumberScheduled"),
    count("Available", "status", "numberAvailable"),
    {
      name: "Node Selector",
      cell: (object) => pairs(dig(object, "spec", "template", "spec", "nodeSelector")),
    },
    ageColumn,
    ...workload,
  ],
  StorageClass: [
    text("Provisioner", "provisioner"),
    text("ReclaimPolicy", "reclaimPolicy"),
    text("VolumeBindingMode", "volumeBindingMode"),
    {
      name: "AllowVolumeExpansion",
      type: "boolean",
      cell: (object) => object["allowVolumeExpansion"] === true,
    },
  ],
  ...moreColumns,
  CustomResourceDefinition: [{ name: "Created At", cell: (object) => object.metadata.creationTimestamp }],
  CertificateSigningRequest: [
    ageColumn,
    text("SignerName", "spec", "signerName"),
    text("Requestor", "spec", "username"),
    {
      name: "RequestedDuration",
      cell: (object) => digText(object, "spec", "expirationSeconds") || "<none>",
    },
    {
      name: "Condition",
      cell: (object) =>
        [
          ...digList(object, "status", "conditions").map((item) => digText(item, "type")),
          ...(digText(object, "status", "certificate") === "" ? [] : ["Issued"]),
        ].join(",") || "Pending",
    },
  ],
};

function customColumn(column: PrinterColumn): Column {
  return {
    name: column.name,
    type: column.type === "date" ? "string" : column.type,
    priority: column.priority,
    cell: (object, nowMs) => {
      const value = digPath(object, column.jsonPath);
      return column.type === "date" ? ageOf(typeof value === "string" ? value : "", nowMs) : (value ?? "");
    },
  };
}

/** `.status.conditions[?(@.type=="Ready")].status`: plain steps, indexes and the one filter printers use. */
export function digPath(value: unknown, path: string): unknown {
  const steps =
    path.match(/\[\?\(@\.[\w.]+\s*==\s*["'][^"']*["']\)\]|\[\d+\]|\['[^']+'\]|(?:[^.[\\]|\\.)+/g) ?? [];
  let current: unknown = value;
  for (const step of steps) {
    const filter = /^\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]$/.exec(step);
    const index = /^\[(\d+)\]$/.exec(step);
    if (filter) {
      const [, field = "", wanted] = filter;
      current = Array.isArray(current)
        ? current.find((item) => digText(item, ...field.split(".")) === wanted)
        : undefined;
    } else if (index) current = Array.isArray(current) ? current[Number(index[1])] : undefined;
    else current = dig(current, step.replace(/^\['(.*)'\]$/, "$1").replaceAll("\\", ""));
  }
  return current;
}
