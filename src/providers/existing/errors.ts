import { defineError, type Position } from "../../errors/index.ts";

interface Named {
  node: string;
  cluster: string;
  address: string;
  at?: Position;
}

export const machineGone = defineError("EXISTING_NOT_LISTED", (f: { host: string; node: string }) => ({
  what: `Cannot find machine "${f.node}"`,
  why: `host "${f.host}" of the file does not list it`,
  next: `List it under hosts: { ${f.host}: { existing: { machines: […] } } }`,
}));

export const machineSilent = defineError(
  "EXISTING_NO_ANSWER",
  (f: Named & { why: string; wanted?: string; howToBegin?: string }) => ({
    what: `Cannot reach machine "${f.node}"`,
    why: `nothing answers at ${f.address}: ${f.why}`,
    next:
      f.howToBegin === undefined
        ? `Switch ${f.node} on and see that its network cable is in, then run the command again`
        : `${f.howToBegin}; or give it a bmc or wakeOnLan, so that Slipway can switch it on`,
    at: f.at,
  }),
);

export const machineOff = defineError("EXISTING_OFF", (f: Named) => ({
  what: `Machine "${f.node}" is off`,
  why: "its controller says that it has no power",
  next: `Start it: slipway up ${f.cluster}`,
  at: f.at,
}));

export const notAMachine = defineError(
  "EXISTING_OTHER_SYSTEM",
  (f: Named & { why: string; howToBegin?: string }) => ({
    what: `Cannot take machine "${f.node}"`,
    why: `${f.address} answers as something else: ${f.why}`,
    next: f.howToBegin ?? `See what has ${f.address}, or correct the address in the file`,
    at: f.at,
  }),
);

export const machineForeign = defineError("EXISTING_FOREIGN", (f: Named & { why: string }) => ({
  what: `Cannot take machine "${f.node}"`,
  why: `the machine at ${f.address} belongs to another cluster: ${f.why}; nothing was done to it`,
  next: `If it is free, empty it with the means of that cluster first; else correct the address of ${f.node}`,
  at: f.at,
}));

export const machineTaken = defineError("EXISTING_TAKEN", (f: Named & { owner: string }) => ({
  what: `Cannot take machine "${f.node}" for "${f.cluster}"`,
  why: `it is a node of cluster "${f.owner}" of this file`,
  next: `Run "slipway up ${f.owner}" first, which lets go of it; then run "slipway up ${f.cluster}"`,
  at: f.at,
}));

export const otherMac = defineError("EXISTING_OTHER_MAC", (f: Named & { mac: string; found: string[] }) => ({
  what: `Cannot take machine "${f.node}"`,
  why: `the machine at ${f.address} has no NIC ${f.mac}, but ${f.found.join(", ") || "none that it tells of"}; nothing was done to it`,
  next: `See which machine has ${f.address}, then correct address or mac of ${f.node}`,
  at: f.at,
}));

export const otherKey = defineError(
  "EXISTING_OTHER_FINGERPRINT",
  (f: Named & { written: string; shown: string }) => ({
    what: `Cannot take machine "${f.node}"`,
    why: `the machine at ${f.address} shows the fingerprint ${f.shown}, and the file says ${f.written}; nothing was sent`,
    next: `Compare it with the screen of ${f.node}: Talos makes a new one at every start. Write the one it shows there`,
    at: f.at,
  }),
);

export const noSuchDisk = defineError("EXISTING_NO_DISK", (f: Named & { disk: string; found: string[] }) => ({
  what: `Cannot install "${f.node}"`,
  why: `it has no disk ${f.disk}, but ${f.found.join(", ") || "none at all"}`,
  next: `Write disk: with the one to install on, beside the name of ${f.node}`,
  at: f.at,
}));

export const bootMedium = defineError(
  "EXISTING_BOOT_MEDIUM",
  (f: Named & { disk: string; others: string[] }) => ({
    what: `Cannot install "${f.node}"`,
    why: `${f.disk} is what it was started from`,
    next: f.others.length === 0 ? "Put another disk into it" : `Write another disk: ${f.others.join(", ")}`,
    at: f.at,
  }),
);

export const otherVersion = defineError(
  "EXISTING_OTHER_VERSION",
  (f: Named & { why: string; howToBegin: string }) => ({
    what: `Cannot take machine "${f.node}"`,
    why: f.why,
    next: f.howToBegin,
    at: f.at,
  }),
);

export const clockOff = defineError("EXISTING_CLOCK", (f: Named & { seconds: number }) => ({
  what: `The clock of "${f.node}" is wrong`,
  why: `it is ${Math.abs(f.seconds)} s ${f.seconds > 0 ? "ahead" : "behind"}, and certificates are dated`,
  next: `Set the clock in the firmware of ${f.node}, or let it reach a time server: network: { ntp: [ADDRESS] }`,
  at: f.at,
}));

export const bmcRefuses = defineError("EXISTING_BMC", (f: Named & { why: string; cause?: unknown }) => ({
  what: `Cannot use the controller of "${f.node}"`,
  why: f.why,
  next: `Correct bmc of ${f.node}, or remove it and switch the machine on by hand`,
  at: f.at,
  cause: f.cause,
}));
