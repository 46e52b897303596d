import { defineError } from "../../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
}

export const k3sSecretsOutdated = defineError("K3S_SECRETS_OUTDATED", (f: Place & { file: string }) => ({
  what: `Cannot rotate the CAs of "${f.cluster}" with these secrets`,
  why: `${f.node} has a CA of which "${f.file}" knows nothing; it was rotated with other secrets than these`,
  next: "Get the file from where it was rotated: git pull, or copy it from that machine",
  else: `Where nobody has it, move the file away and read the secrets back: slipway secrets recover ${f.cluster}`,
}));

export const caRefused = defineError("K3S_CA_REFUSED", (f: Place & { said: string }) => ({
  what: `Cannot hand new CAs to K3s on "${f.node}"`,
  why: `it says: ${f.said}`,
  next: `See what keeps it: slipway doctor ${f.cluster}; the rotation goes on from here: slipway rotate ca kubernetes ${f.cluster}`,
}));

export const caRotationFirst = defineError(
  "K3S_CA_ROTATION_FIRST",
  (f: { cluster: string; what: string }) => ({
    what: `Cannot rotate the ${f.what} of "${f.cluster}" now`,
    why: "its old CAs are being dropped, and nodes know their servers by the old or by the new ones",
    next: `Bring it to its end first: slipway rotate ca kubernetes ${f.cluster} --finish`,
  }),
);

export const notEncrypted = defineError("K3S_NOT_ENCRYPTED", (f: { cluster: string }) => ({
  what: `Cannot rotate the encryption keys of "${f.cluster}"`,
  why: "its Secrets are not encrypted in the database, so there are no keys",
  next: "Leave them as they are, or create the cluster again with encryption: true below k3s",
}));

export const encryptionDiffers = defineError(
  "K3S_ENCRYPTION_DIFFERS",
  (f: { cluster: string; stage: string }) => ({
    what: `Cannot rotate the encryption keys of "${f.cluster}"`,
    why: `its servers do not encrypt the same way now (stage ${f.stage}); a rotation over that can make Secrets unreadable for good`,
    next: `See what the servers say: sudo k3s secrets-encrypt status; restart those that are behind, one after the other`,
  }),
);

export const authoritiesForeign = defineError("K3S_AUTHORITIES_FOREIGN", (f: Place) => ({
  what: `Cannot read the secrets of "${f.cluster}" back`,
  why: `the CAs on ${f.node} stand below no common root, so it was not Slipway that made this cluster`,
  next: "Bring the secrets back from git or a backup, if there were any",
}));

export const serversDiffer = defineError("K3S_SERVERS_DIFFER", (f: { cluster: string; nodes: string[] }) => ({
  what: `Cannot read the secrets of "${f.cluster}" back`,
  why: `${f.nodes.join(", ")} do not have the same CAs and tokens: a rotation was cut`,
  next: "Restart K3s on them, one after the other: each takes what the database has; then run the command again",
}));
