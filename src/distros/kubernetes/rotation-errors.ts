import { defineError } from "../../errors/index.ts";

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
  (f: { cluster: string; ca: string; known: string[]; others: string }) => ({
    what: `Cannot rotate the CA "${f.ca}" of "${f.cluster}"`,
    why: `it has ${f.known.join(" and ")}; ${f.others}`,
    next: `Name one of them: slipway rotate ca ${f.known[0] ?? ""} ${f.cluster}`,
  }),
);

export const nodesNotHealthy = defineError(
  "ROTATE_NOT_HEALTHY",
  (f: { cluster: string; what: string; nodes: string[] }) => ({
    what: `Cannot rotate the ${f.what} of "${f.cluster}"`,
    why: `${f.nodes.join(", ")} ${f.nodes.length === 1 ? "does" : "do"} not answer or not do ${f.nodes.length === 1 ? "its" : "their"} work; what is away now would be locked out by what is new`,
    next: `Bring all nodes back first; see what keeps them: slipway doctor ${f.cluster}`,
  }),
  [{ nodes: ["cp-1"] }],
);

export const noCredential = defineError(
  "SECRETS_NO_CREDENTIAL",
  (f: { cluster: string; file: string; name: string; option: string }) => ({
    what: `Cannot read the secrets of "${f.cluster}" back`,
    why: `nothing is left that its nodes would answer to: "${f.file}" is not there`,
    next: `Name ${f.name}: slipway secrets recover ${f.cluster} ${f.option}`,
    else: "With a kubeconfig alone there is no way to them; bring the file back from git or a backup",
  }),
);

export const nobodyTells = defineError(
  "SECRETS_NOBODY_TELLS",
  (f: { cluster: string; file: string; asked: string[]; gave: string; reasons: string; option: string }) => ({
    what: `Cannot read the secrets of "${f.cluster}" back`,
    why: `no control plane gave ${f.gave} to whoever has "${f.file}": asked ${f.asked.join(", ")}; ${f.reasons}`,
    next: `Bring a control plane back, or name another one: slipway secrets recover ${f.cluster} ${f.option}`,
  }),
);

export const notProven = defineError("SECRETS_NOT_PROVEN", (f: { cluster: string; led: string }) => ({
  what: `Cannot trust the secrets that were read back for "${f.cluster}"`,
  why: "no control plane of the file lets in whoever has them; nothing was written",
  next: `See that the control planes of the file are those ${f.led} leads to`,
}));
