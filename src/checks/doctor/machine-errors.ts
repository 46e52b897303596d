import { SlipwayError } from "../../errors/index.ts";
import type { Of } from "./errors.ts";
import { either, listed } from "./words.ts";

export const notMadeYet = (cluster: string) =>
  new SlipwayError({
    code: "DOCTOR_NOT_MADE_YET",
    what: `"${cluster}" does not exist yet`,
    why: "no host of the file holds a machine with its mark, and nothing speaks against making them",
    next: `Run "slipway up ${cluster}"`,
  });

export const machineMissing = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_MACHINE_MISSING",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "has", "have")} no machine`,
    why: "no host of the file holds a machine with the mark; somebody removed it, or it was never made",
    next: `Run "slipway plan ${f.cluster}" to see what is missing, then "slipway up ${f.cluster}"`,
  });

export const machineDiffers = (f: Of & { node: string; field: string; from: string; to: string }) =>
  new SlipwayError({
    code: "DOCTOR_MACHINE_DIFFERS",
    what: `The VM of ${f.node} is not as the file says, and nobody reaches it`,
    why: `its ${f.field} is ${f.from}, the file says ${f.to}`,
    next: `Run "slipway up ${f.cluster}", which sets it right`,
  });

export const nodeSilent = (
  f: Of & {
    nodes: string[];
    addresses: string[];
    hosts: string[];
    answering: string[];
    reason: string;
    vlan: number | undefined;
  },
) =>
  new SlipwayError({
    code: "DOCTOR_NODE_SILENT",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs and does", "run and do")} not answer at ${listed(f.addresses)}`,
    why: `${f.reason}; ${f.answering.length === 0 ? "no node of the cluster answers" : `${listed(f.answering)} ${either(f.answering.length, "answers", "answer")}`}, the VM of ${f.nodes[0]} is as written and runs on ${listed(f.hosts)}`,
    next:
      f.vlan === undefined
        ? `Look at how it starts: slipway console ${f.cluster}/${f.nodes[0]}; without an address there, check the cable and switch port of ${f.hosts[0]}`
        : `Allow VLAN ${f.vlan} on the switch port of ${f.hosts[0]}; slipway console ${f.cluster}/${f.nodes[0]} shows whether it has an address`,
  });

export const nodeUnconfigured = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_UNCONFIGURED",
    what: `${listed(f.nodes)} never got ${either(f.nodes.length, "its", "their")} config`,
    why: "the system waits in maintenance mode: its making was cut, or its disk was wiped",
    next: `Run "slipway up ${f.cluster}", which goes on from there`,
  });

export const nodeForeign = (f: Of & { nodes: string[]; folder: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_FOREIGN",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} with secrets that are not in "${f.folder}"`,
    why: "its certificate was issued by another authority: these secrets are lost or others, or another cluster has the address",
    next: `Put the secrets.yaml the node was made with into "${f.folder}"`,
    else: `If another cluster has the address, give the node one of its own in the file and run "slipway up ${f.cluster}"`,
  });

export const clockWrong = (f: Of & { node: string; seconds: number; isAhead: boolean }) =>
  new SlipwayError({
    code: "DOCTOR_CLOCK_WRONG",
    what: `The clock of ${f.node} is ${f.seconds}s ${f.isAhead ? "ahead" : "behind"}`,
    why: "certificates and etcd need clocks that agree",
    next: `Let ${f.node} reach a time server (UDP port 123), or name one of your own in the file: network.ntp`,
  });

export const systemComplains = (f: Of & { node: string; part: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_SYSTEM_COMPLAINS",
    what: `${f.part} on ${f.node} does not do its work`,
    why: f.why,
    next: `Look at its console: slipway console ${f.cluster}/${f.node}; correct what it names, then run "slipway up ${f.cluster}"`,
  });
