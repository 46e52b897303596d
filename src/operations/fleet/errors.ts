import { defineError, describeCause } from "../../errors/index.ts";

export const unknownCluster = defineError("SPEC_UNKNOWN_CLUSTER", (name: string, known: string[]) => ({
  what: `Cannot find "${name}"`,
  why: `the file holds ${known.length === 0 ? "no cluster" : known.join(", ")}`,
  next: `Name one of them, or none for all`,
}));

export const unknownHost = defineError("SPEC_UNKNOWN_HOST", (name: string, known: string[]) => ({
  what: `Cannot find host "${name}"`,
  why: `the file holds ${known.length === 0 ? "no host" : known.join(", ")}`,
  next: "Name one of them, or none for all",
}));

export const unknownNode = defineError(
  "SPEC_UNKNOWN_NODE",
  (cluster: string, node: string, known: string[]) => ({
    what: `Cannot find node "${node}" in "${cluster}"`,
    why: `it has ${known.slice(0, 6).join(", ")}${known.length > 6 ? ` and ${known.length - 6} more` : ""}`,
    next: `Name one of them: --only ${cluster}/${known[0] ?? "NODE"}`,
  }),
);

export const nodeUnknown = defineError("SPEC_UNKNOWN_NODE", (name: string, known: string[]) => ({
  what: `Cannot find node "${name}"`,
  why: `the file holds ${known.slice(0, 6).join(", ") || "no node"}${known.length > 6 ? ` and ${known.length - 6} more` : ""}`,
  next: "Name one of them, with its cluster or without",
}));

export const whichNode = defineError("SPEC_WHICH_NODE", (name: string, known: string[]) => ({
  what: `Cannot tell which "${name}" is meant`,
  why: `there are ${known.join(", ")}`,
  next: `Name one with its cluster: ${known[0] ?? "CLUSTER/NODE"}`,
}));

export const typesNotStripped = defineError("SPEC_TYPESCRIPT_NOT_READ", (file: string, cause: unknown) => ({
  what: `Cannot read "${file}"`,
  why: "this Node does not run TypeScript; from 22.18 on it does",
  next: "Use a newer Node, or save the file as .mjs, without types",
  cause,
}));

export const moduleBroken = defineError("SPEC_MODULE_BROKEN", (file: string, cause: unknown) => ({
  what: `Cannot read "${file}"`,
  why: `it ends with an error: ${describeCause(cause)}`,
  next: (cause as NodeJS.ErrnoException).code?.endsWith("MODULE_NOT_FOUND")
    ? "Install what it imports beside it; a file that imports nothing needs no package"
    : `Run it by itself to see where: node ${file}`,
  cause,
}));

export const moduleWithoutFleet = defineError("SPEC_MODULE_WITHOUT_FLEET", (file: string) => ({
  what: `Cannot read "${file}"`,
  why: "it has no object as its default export",
  next: "Write at its end: export default defineFleet({ version: 1, hosts: { … }, clusters: { … } })",
}));
