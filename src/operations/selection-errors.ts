import { SlipwayError } from "../errors/index.ts";

export const unknownCluster = (name: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_UNKNOWN_CLUSTER",
    what: `Cannot find "${name}"`,
    why: `the file holds ${known.length === 0 ? "no cluster" : known.join(", ")}`,
    next: `Name one of them, or none for all`,
  });

export const unknownHost = (name: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_UNKNOWN_HOST",
    what: `Cannot find host "${name}"`,
    why: `the file holds ${known.length === 0 ? "no host" : known.join(", ")}`,
    next: "Name one of them, or none for all",
  });

export const unknownNode = (cluster: string, node: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_UNKNOWN_NODE",
    what: `Cannot find node "${node}" in "${cluster}"`,
    why: `it has ${known.slice(0, 6).join(", ")}${known.length > 6 ? ` and ${known.length - 6} more` : ""}`,
    next: `Name one of them: --only ${cluster}/${known[0] ?? "NODE"}`,
  });

export const nodeUnknown = (name: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_UNKNOWN_NODE",
    what: `Cannot find node "${name}"`,
    why: `the file holds ${known.slice(0, 6).join(", ") || "no node"}${known.length > 6 ? ` and ${known.length - 6} more` : ""}`,
    next: "Name one of them, with its cluster or without",
  });

export const whichNode = (name: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_WHICH_NODE",
    what: `Cannot tell which "${name}" is meant`,
    why: `there are ${known.join(", ")}`,
    next: `Name one with its cluster: ${known[0] ?? "CLUSTER/NODE"}`,
  });
