import { defineError, diskText } from "../errors/index.ts";

export const bundleDamaged = defineError(
  "SECRETS_DAMAGED",
  (f: { file: string; problems: string[]; cause?: unknown }) => ({
    what: `Cannot use the secrets in "${f.file}"`,
    why: f.problems.join("; "),
    next: `Put the file back from a backup; without it the cluster's nodes cannot be reached`,
    else: `If the cluster is gone for good, delete "${f.file}" and new secrets will be made`,
    cause: f.cause,
  }),
);

export const bundleUnreadable = defineError("SECRETS_UNREADABLE", (f: { file: string; cause: unknown }) => ({
  what: `Cannot read the secrets in "${f.file}"`,
  why: reason(f.cause),
  next: `Make the file readable for the user who runs slipway, for example with: chmod 600 "${f.file}"`,
  cause: f.cause,
}));

export const bundleNotWritten = defineError("SECRETS_NOT_WRITTEN", (f: { file: string; cause: unknown }) => ({
  what: `Cannot write the secrets to "${f.file}"`,
  why: `${diskText(f.cause)}; secrets that cannot be saved are not used`,
  next: "See that the folder has space, is writable, and is on a file system with hard links, then run the command again",
  cause: f.cause,
}));

export const bundleVanished = defineError("SECRETS_VANISHED", (f: { file: string }) => ({
  what: `Cannot keep the secrets in "${f.file}"`,
  why: "a file of this name was there a moment ago and is gone; secrets that cannot be saved are not used",
  next: "See that no other program works in this folder, then run the command again",
}));

export const linkBroken = defineError("SECRETS_LINK_BROKEN", (f: { file: string; target: string }) => ({
  what: `Cannot read the secrets in "${f.file}"`,
  why: `it is a link to "${f.target}", and there is nothing`,
  next: "Bring back what it points to, for example by mounting the disk, then run the command again",
  else: `If the cluster has no secrets yet, take the link away: rm "${f.file}"`,
}));

export const notAsWritten = defineError("SECRETS_NOT_AS_WRITTEN", (f: { file: string }) => ({
  what: `Cannot trust what the disk keeps of "${f.file}"`,
  why: "the new file does not hold what was written; the old one is still in place",
  next: "Look at the disk (dmesg, smartctl), copy the folder elsewhere, then run the command again",
}));

export const sshKeyDamaged = defineError("SECRETS_SSH_KEY_DAMAGED", (f: { file: string }) => ({
  what: `Cannot use the SSH key in "${f.file}"`,
  why: "it is not an Ed25519 key in OpenSSH's format",
  next: "Put the file back from a backup: the machines know its public part only",
}));

export const configWithoutSecrets = defineError(
  "SECRETS_NOT_IN_CONFIG",
  (f: { source: string; why: string }) => ({
    what: `Cannot take secrets out of "${f.source}"`,
    why: f.why,
    next: "Name the machine config of a control plane",
  }),
);

export const bundleKept = defineError("SECRETS_KEPT", (f: { cluster: string; file: string }) => ({
  what: `Cannot take over the secrets of "${f.cluster}"`,
  why: `"${f.file}" is there already and holds other secrets`,
  next: `Move "${f.file}" away first if they are not needed any more`,
}));

export const bundleChanged = defineError("SECRETS_CHANGED", (f: { cluster: string; file: string }) => ({
  what: `Cannot write new secrets for "${f.cluster}"`,
  why: `"${f.file}" does not hold what it held a moment ago; it may have been written by another run`,
  next: "Run the command again: it goes on from what lies there now",
}));

export const clusterNameUnsafe = defineError("SECRETS_NAME_UNSAFE", (f: { cluster: string }) => ({
  what: `Cannot keep secrets for cluster "${f.cluster}"`,
  why: "the name would leave the folder of the secrets",
  next: "Use a cluster name of letters, digits and hyphens",
}));

const reason = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message.replace(/, (open|link|mkdir|write|unlink|fsync|rename)\b.*$/, "")
    : "unknown reason";

export const secretNotFound = defineError(
  "SECRETS_NOT_FOUND",
  (f: { what: string; why: string; next: string }) => ({
    what: `Cannot read ${f.what}`,
    why: f.why,
    next: f.next,
  }),
);

export const fileLocked = defineError(
  "SECRETS_LOCKED",
  (f: { file: string; readers: string[]; places: string[] }) => ({
    what: `Cannot open "${f.file}"`,
    why: `no key at hand fits; it is encrypted to ${readersText(f.readers)}, and keys were looked for in ${f.places.join(", ")}`,
    next: 'Name the file with your age key, then run the command again: export SLIPWAY_AGE_KEY_FILE="…"',
    else: "Ask somebody who can open it to add your key to the recipients and run: slipway secrets rekey",
  }),
);

export const lockedOut = defineError(
  "SECRETS_LOCKED_OUT",
  (f: { cluster: string; readers: string[]; places: string[] }) => ({
    what: `Cannot keep secrets for "${f.cluster}"`,
    why: `they would be encrypted to ${readersText(f.readers)}, and no key at hand opens that; keys were looked for in ${f.places.join(", ")}`,
    next: 'Name the file with your age key, then run the command again: export SLIPWAY_AGE_KEY_FILE="…"',
    else: "Add your own key to the recipients in the cluster file",
  }),
);

/** Recipients are public; SSH keys are long, and told by their end. */
const readersText = (readers: string[]): string =>
  readers.length === 0
    ? "a passphrase or keys it does not name"
    : readers.map((reader) => reader.replace(/^(ssh-ed25519) \S*(\S{8})/, "$1 …$2")).join(", ");

export const fileTampered = defineError("SECRETS_TAMPERED", (f: { file: string; why: string }) => ({
  what: `Cannot trust "${f.file}"`,
  why: `it was changed without its key: ${f.why}`,
  next: "Put the file back from git or a backup; edit it with the sops program, or through slipway",
}));

export const sopsNotUnderstood = defineError("SECRETS_SOPS_NOT_READ", (f: { file: string; why: string }) => ({
  what: `Cannot read "${f.file}" as a file of SOPS`,
  why: f.why,
  next: "Make it again as YAML or JSON, encrypted to an age key: sops encrypt --age age1… FILE",
}));

export const fileNotEncrypted = defineError(
  "SECRETS_NOT_ENCRYPTED",
  (f: { file: string; how: "age" | "SOPS" }) => ({
    what: `Cannot open "${f.file}"`,
    why: `its name says that it is encrypted with ${f.how}, and it is not`,
    next: "Put the encrypted file back; if this one was in git, everything in it must be replaced",
  }),
);

export const secretsInGit = defineError(
  "SECRETS_IN_GIT",
  (files: string[], folder: string) => ({
    what: `Cannot go on while git takes ${files.length === 1 ? "a plain secret" : `${files.length} plain secrets`}`,
    why: `git has, or would take with the next "git add": ${files.slice(0, 5).join(", ")}${files.length > 5 ? " …" : ""}`,
    next: `Take them out and keep them out: git rm --cached --ignore-unmatch ${files[0] ?? ""}; echo "*" > ${folder}/.gitignore`,
    else: 'To have them in git, encrypt them: add "secrets" to the cluster file, then run: slipway secrets rekey',
  }),
  [["<file>"]],
);
