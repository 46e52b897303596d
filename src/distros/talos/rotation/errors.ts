import { defineError } from "../../../errors/index.ts";

export const secretsOutdated = defineError(
  "TALOS_SECRETS_OUTDATED",
  (f: { cluster: string; node: string; ca: string; file: string }) => ({
    what: `Cannot change "${f.cluster}" with these secrets`,
    why: `${f.node} has a ${f.ca} of which "${f.file}" knows nothing; it was rotated with other secrets than these`,
    next: "Get the file from where it was rotated: git pull, or copy it from that machine",
    else: `Where nobody has it, move the file away and read the secrets back: slipway secrets recover ${f.cluster}`,
  }),
);

export const nothingToFinish = defineError(
  "ROTATE_NOT_UNDER_WAY",
  (f: { cluster: string; ca: string; command: string }) => ({
    what: `Cannot finish the rotation of the ${f.ca} of "${f.cluster}"`,
    why: "none is under way: nodes have one such CA, and so have the secrets",
    next: `Begin one: ${f.command}`,
  }),
);

export const unknownCa = defineError(
  "ROTATE_UNKNOWN_CA",
  (f: { cluster: string; ca: string; known: string[] }) => ({
    what: `Cannot rotate the CA "${f.ca}" of "${f.cluster}"`,
    why: `it has ${f.known.join(" and ")}; etcd, the aggregator and service accounts keep theirs, for no supported way exists to exchange them`,
    next: `Name one of them: slipway rotate ca ${f.known[0] ?? ""} ${f.cluster}`,
  }),
);

export const nodesNotHealthy = defineError(
  "ROTATE_NOT_HEALTHY",
  (f: { cluster: string; ca: string; nodes: string[] }) => ({
    what: `Cannot rotate the ${f.ca} of "${f.cluster}"`,
    why: `${f.nodes.join(", ")} ${f.nodes.length === 1 ? "does" : "do"} not answer or not do ${f.nodes.length === 1 ? "its" : "their"} work; what is away now would be locked out by the new CA`,
    next: `Bring all nodes back first; see what keeps them: slipway doctor ${f.cluster}`,
  }),
  [{ nodes: ["cp-1"] }],
);

export const noCredential = defineError("SECRETS_NO_CREDENTIAL", (f: { cluster: string; file: string }) => ({
  what: `Cannot read the secrets of "${f.cluster}" back`,
  why: `nothing is left that its nodes would answer to: "${f.file}" is not there`,
  next: `Name the talosconfig of an administrator: slipway secrets recover ${f.cluster} --talosconfig FILE`,
  else: "With a kubeconfig alone there is no way to them; bring the file back from git or a backup",
}));

export const nobodyTells = defineError(
  "SECRETS_NOBODY_TELLS",
  (f: { cluster: string; file: string; addresses: string[] }) => ({
    what: `Cannot read the secrets of "${f.cluster}" back`,
    why: `no control plane gave its config to whoever has "${f.file}": asked ${f.addresses.join(", ")}; they may be away, or the file is of another cluster, has expired, or is no administrator's`,
    next: `Bring a control plane back, or name another talosconfig: slipway secrets recover ${f.cluster} --talosconfig FILE`,
  }),
);

export const notProven = defineError("SECRETS_NOT_PROVEN", (f: { cluster: string }) => ({
  what: `Cannot trust the secrets that were read back for "${f.cluster}"`,
  why: "no control plane of the file lets in whoever has them; nothing was written",
  next: "See that the control planes of the file are those the talosconfig leads to",
}));
