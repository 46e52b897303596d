import { SlipwayError } from "../../errors/index.ts";
import type { Of } from "./errors.ts";
import { either, listed } from "./words.ts";

export const cloudControllerMissing = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_CLOUD_CONTROLLER_MISSING",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "waits", "wait")} for a cloud controller that is not there`,
    why: "the kubelets run with an external cloud provider and keep pods away until one greets them",
    next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
  });

export const nodeNotGreeted = (f: Of & { nodes: string[]; isDenied: boolean; line: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_GREETED",
    what: `The cloud controller does not find the machine of ${listed(f.nodes)}`,
    why: f.isDenied
      ? `Proxmox refuses its token${f.line === "" ? "" : `: ${f.line}`}`
      : `${f.line === "" ? "it runs and says nothing of them" : f.line}; it looks for a machine called as the node, with the same UUID`,
    next: f.isDenied
      ? `Give it a fresh token: slipway proxmox rotate ${f.cluster}`
      : `Compare the VM's name in Proxmox with the node's; "slipway up ${f.cluster}" sets it right`,
  });

export const zoneMissing = (f: Of & { node: string }) =>
  new SlipwayError({
    code: "DOCTOR_ZONE_MISSING",
    what: `${f.node} has no zone, and Proxmox CSI makes no volume without one`,
    why: "the label topology.kubernetes.io/zone is set by the cloud controller when it greets a node",
    next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
  });

export const storageClassMissing = (
  f: Of & { claim: string; storageClass: string; classes: string; why: string },
) =>
  new SlipwayError({
    code: "DOCTOR_STORAGE_CLASS_MISSING",
    what: `Claim ${f.claim} asks for a storage class that is not there`,
    why: `it wants "${f.storageClass}", the cluster has ${f.classes}`,
    next: `Add what brings "${f.storageClass}" to the add-ons in the file and run "slipway up ${f.cluster}", or make the claim anew with another class`,
  });

export const claimPending = (f: Of & { claim: string; storageClass: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_CLAIM_PENDING",
    what: `Claim ${f.claim} gets no volume`,
    why: f.why,
    next: `Look at the provisioner of storage class "${f.storageClass}": kubectl describe storageclass ${f.storageClass} names it`,
  });
