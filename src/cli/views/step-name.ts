import type { PlannedStep, StepId } from "../../plan/index.ts";

/** `machine/cp-1`; with several clusters in one run `homelab/machine/cp-1`. */
export function shortStep(id: StepId, clusterCount: number): string {
  const slash = id.indexOf("/");
  return clusterCount > 1 || slash < 0 ? id : id.slice(slash + 1);
}

/** What is spelled otherwise than its id. */
const spellings: Record<string, string> = {
  api: "API",
  vip: "VIP",
  cni: "CNI",
  dns: "DNS",
  nodes: "Nodes Ready",
  access: "access files",
  schematic: "Schematic",
  registration: "Rancher registration",
};

const addonSpellings: Record<string, string> = {
  cilium: "Cilium",
  flannel: "Flannel",
  longhorn: "Longhorn",
  metallb: "MetalLB",
  "nfs-csi": "NFS CSI",
  "metrics-server": "Metrics Server",
  rancher: "Rancher",
};

/** What an image is made of stands in the same group, and on no host; templates stand there too. */
export const isImage = (step: Pick<PlannedStep, "id" | "group" | "host">): boolean =>
  step.group === "images" && step.host !== undefined && !isTemplate(step);

export const isTemplate = (step: Pick<PlannedStep, "id">): boolean => step.id.includes("/template/");

/** What a step is about, in one word: its node, the host of an image, else its name. */
export function subjectLabel(step: Pick<PlannedStep, "id" | "group" | "host" | "node">): string {
  if (step.node !== undefined) return step.node;
  if (isImage(step)) return step.host ?? "";
  const name = lastPart(step.id);
  if (step.id.includes("/ha/")) return "HA";
  if (step.id.includes("/account/")) return "Proxmox account";
  if (step.id.includes("/pool/")) return "storage pool";
  if (step.id.includes("/network/")) return "network";
  if (step.id.includes("/snapshot/")) return `snapshot of ${name}`;
  return spellings[name] ?? name;
}

/** The same as a heading that stands alone, e.g. in the timeline. */
export function laneLabel(step: Pick<PlannedStep, "id" | "group" | "host" | "node">): string {
  const label = subjectLabel(step);
  if (isImage(step)) return `Image ${label}`;
  if (isTemplate(step)) return `Template ${label}`;
  if (step.group === "addons") return addonSpellings[label] ?? label;
  return label;
}

/** `machine` of `proxmox/machine`. */
export const kindNoun = (kind: string): string =>
  (kind.startsWith("rancher/") ? "Rancher " : "") + lastPart(kind);

export const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
