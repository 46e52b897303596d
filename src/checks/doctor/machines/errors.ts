import { defineError } from "../../../errors/index.ts";
import type { Of } from "../errors.ts";
import { either, listed } from "../text.ts";

export const notMadeYet = defineError("DOCTOR_NOT_MADE_YET", (cluster: string) => ({
  what: `"${cluster}" does not exist yet`,
  why: "no host of the file holds a machine with its mark, and nothing prevents creating them",
  next: `Run "slipway up ${cluster}"`,
}));

export const machineMissing = defineError("DOCTOR_MACHINE_MISSING", (f: Of & { nodes: string[] }) => ({
  what: `${listed(f.nodes)} ${either(f.nodes.length, "has", "have")} no machine`,
  why: "no host of the file holds a machine with the mark; somebody removed it, or it was never made",
  next: `Run "slipway plan ${f.cluster}" to see what is missing, then "slipway up ${f.cluster}"`,
}));

export const machineDiffers = defineError(
  "DOCTOR_MACHINE_DIFFERS",
  (f: Of & { node: string; field: string; from: string; to: string }) => ({
    what: `The machine of ${f.node} is not as the file says, and cannot be reached`,
    why: `its ${f.field} is ${f.from}, the file says ${f.to}`,
    next: `Run "slipway up ${f.cluster}", which sets it right`,
  }),
);

export const nodeUnreachable = defineError(
  "DOCTOR_NODE_SILENT",
  (
    f: Of & {
      nodes: string[];
      addresses: string[];
      hosts: string[];
      answering: string[];
      reason: string;
      vlan: number | undefined;
    },
  ) => ({
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs and does", "run and do")} not answer at ${listed(f.addresses)}`,
    why: `${f.reason}; ${f.answering.length === 0 ? "no node of the cluster answers" : `${listed(f.answering)} ${either(f.answering.length, "answers", "answer")}`}, the machine of ${f.nodes[0]} is as the file says and runs on ${listed(f.hosts)}`,
    next:
      f.vlan === undefined
        ? `Look at how it starts: slipway console ${f.cluster}/${f.nodes[0]}; without an address there, check the cable and switch port of ${f.hosts[0]}`
        : `Allow VLAN ${f.vlan} on the switch port of ${f.hosts[0]}; slipway console ${f.cluster}/${f.nodes[0]} shows whether it has an address`,
  }),
  [{ answering: [], vlan: undefined }],
);

export const nodeUnconfigured = defineError("DOCTOR_NODE_UNCONFIGURED", (f: Of & { nodes: string[] }) => ({
  what: `${listed(f.nodes)} never got ${either(f.nodes.length, "its", "their")} config`,
  why: "the system waits in maintenance mode: its setup was interrupted, or its disk was wiped",
  next: `Run "slipway up ${f.cluster}", which goes on from there`,
}));

export const nodeForeign = defineError(
  "DOCTOR_NODE_FOREIGN",
  (f: Of & { nodes: string[]; folder: string; file: string }) => ({
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} with secrets that are not in "${f.folder}"`,
    why: "its certificate was issued by another authority: these are other secrets, or another cluster has the address",
    next: `Put the ${f.file} the node was made with into "${f.folder}"`,
    else: `If another cluster has the address, give the node one of its own in the file and run "slipway up ${f.cluster}"`,
  }),
);

export const clockWrong = defineError(
  "DOCTOR_CLOCK_WRONG",
  (f: Of & { node: string; seconds: number; isAhead: boolean }) => ({
    what: `The clock of ${f.node} is ${f.seconds}s ${f.isAhead ? "ahead" : "behind"}`,
    why: "certificates and etcd need clocks that agree",
    next: `Let ${f.node} reach a time server (UDP port 123), or name one of your own in the file: network.ntp`,
  }),
  [{ isAhead: false }],
);

export const systemComplains = defineError(
  "DOCTOR_SYSTEM_COMPLAINS",
  (f: Of & { node: string; part: string; why: string }) => ({
    what: `${f.part} on ${f.node} does not do its work`,
    why: f.why,
    next: `Look at its console: slipway console ${f.cluster}/${f.node}; correct what it names, then run "slipway up ${f.cluster}"`,
  }),
);
