import type { Column } from "./column.ts";
import { ageOf } from "./age.ts";
import { dig, digList, digText, type KubeObject } from "../store/object.ts";

const none = (text: string): string => (text === "" ? "<none>" : text);

function statusOf(node: KubeObject): string {
  const ready = digList(node, "status", "conditions").find((item) => digText(item, "type") === "Ready");
  const words = [
    ready === undefined ? "Unknown" : digText(ready, "status") === "True" ? "Ready" : "NotReady",
  ];
  if (dig(node, "spec", "unschedulable") === true) words.push("SchedulingDisabled");
  return words.join(",");
}

const rolesOf = (node: KubeObject): string =>
  none(
    Object.entries(node.metadata.labels ?? {})
      .flatMap(([name, value]) => {
        if (name.startsWith("node-role.kubernetes.io/")) return [name.split("/")[1] ?? ""];
        return name === "kubernetes.io/role" ? [value] : [];
      })
      .toSorted()
      .join(","),
  );

const addressOf = (node: KubeObject, type: string): string =>
  none(
    digText(
      digList(node, "status", "addresses").find((item) => digText(item, "type") === type),
      "address",
    ),
  );

const info = (name: string, field: string): Column => ({
  name,
  priority: 1,
  cell: (node) => digText(node, "status", "nodeInfo", field) || "<unknown>",
});

export const nodeColumns: Column[] = [
  { name: "Status", cell: statusOf },
  { name: "Roles", cell: rolesOf },
  { name: "Age", cell: (node, nowMs) => ageOf(node.metadata.creationTimestamp, nowMs) },
  { name: "Version", cell: (node) => digText(node, "status", "nodeInfo", "kubeletVersion") },
  { name: "Internal-IP", priority: 1, cell: (node) => addressOf(node, "InternalIP") },
  { name: "External-IP", priority: 1, cell: (node) => addressOf(node, "ExternalIP") },
  info("OS-Image", "osImage"),
  info("Kernel-Version", "kernelVersion"),
  info("Container-Runtime", "containerRuntimeVersion"),
];
