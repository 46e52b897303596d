import { defineError, type Position } from "../errors/index.ts";

export const bundleLeaks = defineError("RUN_BUNDLE_LEAKS", (file: string) => ({
  what: "Cannot make a support bundle",
  why: `"${file}" would hold a secret that could not be taken out; nothing was written`,
  next: "Report this as a defect of Slipway, with the name of that file",
}));

export const noShellThere = defineError(
  "RUN_NO_SHELL",
  (f: { cluster: string; node: string; why: string; instead: string }) => ({
    what: `Cannot log in on "${f.node}"`,
    why: f.why,
    next: `Look how it starts: slipway console ${f.cluster}/${f.node}`,
    else: f.instead,
  }),
);

export const noTalosThere = defineError("RUN_NOT_TALOS", (cluster: string) => ({
  what: `Cannot export "${cluster}" for talhelper`,
  why: "its machines run plain Linux, and talhelper knows Talos only",
  next: "Name a cluster that runs Talos",
}));

export const noMachinesToExport = defineError("RUN_NO_MACHINES", (cluster: string) => ({
  what: `Cannot export "${cluster}" for Terraform`,
  why: "none of its machines exists yet, and Terraform is told of machines that do",
  next: `Bring it up first: slipway up ${cluster}`,
}));

export const noTerraformThere = defineError("RUN_NO_TERRAFORM", (cluster: string) => ({
  what: `Cannot export "${cluster}" for Terraform`,
  why: "its machines are not on Proxmox VE, and Slipway knows Terraform's words for no others",
  next: "Name a cluster on Proxmox VE",
}));

export const noFile = defineError("SPEC_NO_FILE", (file: string) => ({
  what: `Cannot read "${file}"`,
  why: "there is no such file",
  next: "Write one with: slipway init --example quickstart, or name yours with -f FILE",
}));

export const fileTooLarge = defineError("SPEC_FILE_TOO_LARGE", (file: string, most: number) => ({
  what: `Cannot read "${file}"`,
  why: `it has more than ${most / 1024 / 1024} MiB, the most for a cluster file`,
  next: "Split it into several files in one folder, and name the folder with -f; large manifests go into files of their own",
}));

export const guestFileUnreadable = defineError(
  "SPEC_GUEST_FILE_UNREADABLE",
  (f: { file: string; at: Position }) => ({
    what: `Cannot give "${f.file}" to the machines`,
    why: "it is not there, or cannot be read",
    next: "Name a file that is there; paths stand relative to the cluster file",
    at: f.at,
  }),
);

export const notPublicKeys = defineError("SPEC_NOT_PUBLIC_KEYS", (f: { file: string; at: Position }) => ({
  what: `Cannot let the keys of "${f.file}" log in`,
  why: "it holds something else than public keys, one on each line",
  next: `Name the file that ends in .pub, such as ~/.ssh/id_ed25519.pub`,
  at: f.at,
}));

export const noSecretsYet = defineError("RUN_NOT_UP_YET", (cluster: string) => ({
  what: `Cannot export "${cluster}"`,
  why: "it has no secrets yet, and without them the export would describe another cluster",
  next: `Bring it up first: slipway up ${cluster}`,
  else: `Take over its secrets: slipway adopt ${cluster} --secrets FILE`,
}));

export const noApiYet = defineError("RUN_NOT_UP_YET", (cluster: string) => ({
  what: `Cannot ask Kubernetes of "${cluster}"`,
  why: "it has no secrets yet, so there is nothing to log in with",
  next: `Bring it up first: slipway up ${cluster}`,
}));

export const noNodeToAsk = defineError("RUN_NOT_A_NODE", (file: string) => ({
  what: "Cannot ask a node for the secrets",
  why: `"${file}" names no endpoint`,
  next: "Name a control plane with --node ADDRESS",
}));

export const noControlPlaneConfig = defineError(
  "TALOS_NO_CONTROL_PLANE",
  (asked: string[], cause: unknown) => ({
    what: "Cannot take the secrets over from a running node",
    why: `no control plane gave its machine config; asked: ${asked.join(", ")}`,
    next: "Name a control plane that runs with --node ADDRESS",
    cause,
  }),
);

export const noCloudAccount = defineError("SPEC_NO_CLOUD_ACCOUNT", (cluster: string, at: Position) => ({
  what: `Cannot rotate the Proxmox token of "${cluster}"`,
  why: "it has no Proxmox account of its own",
  next: `Write cloudAccount: true and run "slipway up ${cluster}" first`,
  at,
}));

export const accountNotHere = defineError("RUN_NO_CLOUD_ACCOUNT", (cluster: string) => ({
  what: `Cannot give "${cluster}" its Proxmox account`,
  why: "its token is not on this machine, and Proxmox shows it only once",
  next: `Bring .slipway/${cluster}/proxmox-account.yaml to this machine`,
  else: `Make a new token: slipway proxmox rotate ${cluster}, then slipway up ${cluster}`,
}));

export const noStepsThere = defineError("RUN_NOT_A_PICTURE", () => ({
  what: "Cannot draw the steps of what exists",
  why: "steps are what a run does; what exists has none left to do",
  next: "Write: slipway graph --view steps --from plan",
  else: "For a first run on empty hosts: slipway graph --view steps",
}));

export const noBootMedia = defineError("RUN_NO_BOOT_MEDIA", (cluster: string) => ({
  what: `Cannot show boot media for "${cluster}"`,
  why: "its machines start from a system of your own, which no image factory builds",
  next: "Install a Linux with SSH on them, then list them under hosts",
}));

export const notUpgradable = defineError("RUN_NOT_UPGRADABLE", (cluster: string) => ({
  what: `Cannot choose versions for "${cluster}"`,
  why: "slipway upgrade knows the versions of Talos, of Kubernetes on it, and of K3s only",
  next: `Write the version into the cluster file, then run "slipway up ${cluster}"`,
}));

export const notItsVersion = defineError(
  "RUN_NOT_ITS_VERSION",
  (f: { cluster: string; name: string; names: string[] }) => ({
    what: `Cannot set --${f.name} for "${f.cluster}"`,
    why: `the cluster has no such version; it has ${f.names.map((name) => `--${name}`).join(" and ")}`,
    next: `See what it runs and what may come: slipway upgrade ${f.cluster} --check`,
  }),
);

export const notRollable = defineError("RUN_NO_ROLLBACK", (f: { cluster: string; node: string }) => ({
  what: `Cannot take "${f.node}" back to the system it ran before`,
  why: `the distribution of "${f.cluster}" keeps no second system on its nodes`,
  next: `Go back to a snapshot of its machine (slipway snapshot list ${f.cluster}), or make the node again: slipway replace ${f.cluster}/${f.node}`,
}));
