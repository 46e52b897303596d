import { defineError, type Position } from "../../errors/index.ts";

export const clusterProtected = defineError("SPEC_PROTECTED", (cluster: string, at: Position) => ({
  what: `Cannot take down "${cluster}"`,
  why: "it says protect: true",
  next: "Set protect: false and save; --yes does not override it",
  at,
}));

export const notOneNode = defineError("RUN_NOT_ONE_NODE", (cluster: string, node: string) => ({
  what: `Cannot take down "${node}" alone`,
  why: "down takes whole clusters away; what is in the file would come back with the next up",
  next: `Take the node out of the file (count, skip), then run: slipway up ${cluster}`,
}));

export const notRemovable = defineError(
  "RUN_NOT_REMOVABLE",
  (clusters: string[], count: number, first: { why: string; next: string }) => ({
    what: `Cannot take down ${clusters.map((name) => `"${name}"`).join(", ")}`,
    why: `${first.why}${count > 1 ? `; ${count - 1} more reasons like it` : ""}`,
    next: first.next,
  }),
);

export const somethingLeft = defineError("RUN_SOMETHING_LEFT", (names: string[]) => ({
  what: "Cannot remove everything of the cluster",
  why: `still there: ${names.slice(0, 8).join(", ")}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`,
  next: 'Run "slipway down" again; remove in Proxmox what it does not take away',
}));
