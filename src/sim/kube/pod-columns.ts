import type { Column } from "./column.ts";
import { ageOf } from "./age.ts";
import { dig, digList, digNumber, digText, type KubeObject } from "./object.ts";

const statuses = (pod: KubeObject): unknown[] => digList(pod, "status", "containerStatuses");

function statusOf(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
  const waiting = statuses(pod)
    .map((item) => digText(item, "state", "waiting", "reason"))
    .find((reason) => reason !== "");
  const phase = digText(pod, "status", "phase");
  return waiting ?? (digText(pod, "status", "reason") || (phase === "Succeeded" ? "Completed" : phase));
}

export const podColumns: Column[] = [
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
