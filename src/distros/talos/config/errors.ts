import { defineError } from "../../../errors/index.ts";

export const contractUnknown = defineError(
  "TALOS_CONTRACT_UNKNOWN",
  (f: { contract: string; oldestContract: number; newestContract: number }) => ({
    what: `Cannot write a machine config for Talos ${f.contract}`,
    why: `Slipway knows the configs of Talos 1.${f.oldestContract} to 1.${f.newestContract}, and those of others are made differently`,
    next: `Choose a Talos version from 1.${f.oldestContract} to 1.${f.newestContract} in the cluster file`,
  }),
);

export const contractUnclear = defineError("TALOS_CONTRACT_UNCLEAR", (f: { why: string }) => ({
  what: "Cannot tell for which Talos version the running machine config was made",
  why: f.why,
  next: "Name the contract of the cluster, for example the Talos minor it was created with",
}));

export const patchNotYaml = defineError(
  "TALOS_PATCH_NOT_YAML",
  (f: { source: string; line: number | undefined; cause: Error }) => ({
    what: `Cannot read the patch "${f.source}"`,
    why: `${f.line === undefined ? "the text" : `line ${f.line}`} is not YAML: ${f.cause.message.split(/ at line |\n/)[0]}`,
    next: `Correct the patch in "${f.source}"`,
    cause: f.cause,
  }),
  [{ line: undefined }],
);

export const patchRefused = defineError(
  "TALOS_PATCH_REFUSED",
  (f: { source: string; line?: number | undefined; path?: string; message: string }) => ({
    what: `Cannot apply the patch "${f.source}"`,
    why: `${place(f)}${f.message}`,
    next: `Correct the patch in "${f.source}"`,
  }),
);

const place = (f: { line?: number | undefined; path?: string }): string => {
  const parts = [f.line && `line ${f.line}`, f.path && `at "${f.path}"`].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
};

/** Talos refuses a config in which a field and the document that replaced it stand side by side. */
export const patchOutdated = defineError(
  "TALOS_PATCH_OUTDATED",
  (f: { source: string; line?: number | undefined; path: string; kind: string; hint: string }) => ({
    what: `Cannot apply the patch "${f.source}"`,
    why: `${place(f)}the config has a document "${f.kind}", and Talos refuses both together`,
    next: `Write it as a document of kind "${f.kind}"${f.hint} in "${f.source}"`,
  }),
);

export const configContradicts = defineError(
  "TALOS_CONFIG_CONTRADICTS",
  (f: { path: string; kind: string }) => ({
    what: "Cannot use the machine config",
    why: `it has "${f.path}" and a document "${f.kind}", and Talos refuses both together`,
    next: `Remove one of them; "${f.kind}" is the newer way to write it`,
  }),
);

export const kindUnknown = defineError(
  "TALOS_KIND_UNKNOWN",
  (f: { kind: string; problem: string; source?: string | undefined; line?: number | undefined }) => ({
    what: `Cannot put a document "${f.kind}" into the machine config`,
    why: f.problem,
    next:
      f.source === undefined
        ? `Choose another Talos version`
        : `Correct the patch "${f.source}"${f.line === undefined ? "" : ` in line ${f.line}`}, which brings it, or choose another Talos version`,
  }),
  [{ source: undefined }],
);

export const keyUnknown = defineError("TALOS_KEY_UNKNOWN", (f: { path: string; why: string }) => ({
  what: `Cannot put "${f.path}" into the machine config`,
  why: f.why,
  next: "Choose a Talos version that knows it, or leave it out",
}));

export const mountNotPossible = defineError("TALOS_MOUNT_NOT_POSSIBLE", (f: { folder: string }) => ({
  what: `Cannot let the kubelet see "${f.folder}"`,
  why: "from contract 1.14 on the kubelet sees only the folders under /var/mnt, without a setting for it",
  next: `Keep the data on a volume under /var/mnt instead of "${f.folder}"`,
}));

export const diskSizeUnclear = defineError("TALOS_DISK_SIZE_UNCLEAR", (f: { size: string }) => ({
  what: `Cannot select a disk by the size "${f.size}"`,
  why: "a size is a comparison, a number and a unit",
  next: 'Write it like ">= 100GB"',
}));

export const patchFlagUnreadable = defineError(
  "TALOS_PATCH_FILE_MISSING",
  (f: { file: string; cause: unknown }) => ({
    what: `Cannot read the patch "${f.file}"`,
    why: "the file is not there or not readable",
    next: `Name a file that is there, or write the patch itself, for example: --config-patch '{"debug": true}'`,
    cause: f.cause,
  }),
);

export const endpointUnusable = defineError(
  "TALOS_ENDPOINT_UNUSABLE",
  (f: { endpoint: string; why: string; hint: string }) => ({
    what: `Cannot use "${f.endpoint}" as the cluster's endpoint`,
    why: f.why,
    next: `Write it like "${f.hint}"`,
  }),
);

export const mirrorUnclear = defineError("TALOS_MIRROR_UNCLEAR", (f: { flag: string }) => ({
  what: `Cannot use "${f.flag}" as a registry mirror`,
  why: "a mirror is the registry's host, an equals sign and the mirror's address",
  next: 'Write it like "docker.io=https://mirror.lan"',
}));

export const secretNotRead = defineError("TALOS_SECRET_NOT_READ", () => ({
  what: "Cannot write a machine config",
  why: "it refers to a secret that has not been read yet",
  next: "Put the secrets in with withSecrets() before calling machineConfig()",
}));

export const talosconfigUnreadable = defineError(
  "TALOS_TALOSCONFIG_UNREADABLE",
  (f: { source: string; why: string }) => ({
    what: `Cannot use the talosconfig "${f.source}"`,
    why: f.why,
    next: "Name a talosconfig that talosctl can use, with a context of the role os:admin",
  }),
);
