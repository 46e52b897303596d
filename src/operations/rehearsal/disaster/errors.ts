import { defineError } from "../../../errors/index.ts";

export const oneHostOnly = defineError("RUN_NOT_SEVERAL_HOSTS", (f: { cluster: string; host: string }) => ({
  what: `Cannot rehearse the loss of a host of "${f.cluster}"`,
  why: `all its machines are on ${f.host}: without it nothing is left`,
  next: "Run this instead: slipway rehearse --disaster lost-everything",
}));

export const metalNotStruck = defineError("RUN_NOT_STRIKABLE", (f: { cluster: string; node: string }) => ({
  what: `Cannot rehearse a disaster of "${f.cluster}"`,
  why: `${f.node} is a machine that exists already, and nothing here can make another one of it`,
  next: "Run what is left: slipway rehearse --disaster lost-secrets",
}));

export const rehearsalBroke = defineError(
  "RUN_DISASTER_UNREHEARSED",
  (f: { cluster: string; phase: string; why: string; next?: string | undefined }) => ({
    what: `Cannot rehearse a disaster of "${f.cluster}"`,
    why: `it did not come to it: "${f.phase}" failed: ${f.why}`,
    next: f.next ?? "Run it without a disaster first: slipway rehearse",
  }),
);
