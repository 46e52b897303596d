import { defineError } from "../../../errors/index.ts";
import type { Of } from "../errors.ts";
import { either, listed } from "../text.ts";

export const cloudControllerMissing = defineError(
  "DOCTOR_CLOUD_CONTROLLER_MISSING",
  (f: Of & { nodes: string[] }) => ({
    what: `${listed(f.nodes)} ${either(f.nodes.length, "waits", "wait")} for a cloud controller that is not there`,
    why: "the kubelets run with an external cloud provider and keep pods away until one registers them",
    next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
  }),
);

export const nodeNotGreeted = defineError(
  "DOCTOR_NODE_NOT_GREETED",
  (f: Of & { nodes: string[]; isDenied: boolean; line: string }) => ({
    what: `The cloud controller does not find the machine of ${listed(f.nodes)}`,
    why: f.isDenied
      ? `Proxmox refuses its token${f.line === "" ? "" : `: ${f.line}`}`
      : `${f.line === "" ? "it runs and does not mention them" : f.line}; it looks for a machine with the name and the UUID of the node`,
    next: f.isDenied
      ? `Give it a fresh token: slipway proxmox rotate ${f.cluster}`
      : `Compare the VM's name in Proxmox with the node's; "slipway up ${f.cluster}" sets it right`,
  }),
  [{ isDenied: false }],
  [{ isDenied: false, line: "" }],
);

export const zoneMissing = defineError("DOCTOR_ZONE_MISSING", (f: Of & { node: string }) => ({
  what: `${f.node} has no zone, and Proxmox CSI makes no volume without one`,
  why: "the label topology.kubernetes.io/zone is set by the cloud controller when it registers a node",
  next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
}));

export const storageClassMissing = defineError(
  "DOCTOR_STORAGE_CLASS_MISSING",
  (f: Of & { claim: string; storageClass: string; classes: string; why: string }) => ({
    what: `Claim ${f.claim} asks for a storage class that is not there`,
    why: `it wants "${f.storageClass}", the cluster has ${f.classes}`,
    next: `Add what brings "${f.storageClass}" to the add-ons in the file and run "slipway up ${f.cluster}", or create the claim again with another class`,
  }),
);

export const claimPending = defineError(
  "DOCTOR_CLAIM_PENDING",
  (f: Of & { claim: string; storageClass: string; why: string }) => ({
    what: `Claim ${f.claim} gets no volume`,
    why: f.why,
    next: `Look at the provisioner of storage class "${f.storageClass}": kubectl describe storageclass ${f.storageClass} names it`,
  }),
);
