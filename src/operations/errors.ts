import { SlipwayError, type Position } from "../errors/index.ts";

export const bundleLeaks = (file: string) =>
  new SlipwayError({
    code: "RUN_BUNDLE_LEAKS",
    what: "Cannot make a support bundle",
    why: `"${file}" would hold a secret that could not be taken out; nothing was written`,
    next: "Report this as a defect of Slipway, with the name of that file",
  });

export const noShellOnTalos = (cluster: string, node: string, address: string) =>
  new SlipwayError({
    code: "RUN_NO_SHELL",
    what: `Cannot log in on "${node}"`,
    why: "it runs Talos, which has neither SSH nor a shell",
    next: `Look how it starts: slipway console ${cluster}/${node}`,
    else: `Ask it through its API: slipway talosconfig ${cluster} > talosconfig, then talosctl --talosconfig talosconfig -n ${address} dmesg`,
  });

export const noTalosThere = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_TALOS",
    what: `Cannot export "${cluster}" for talhelper`,
    why: "its machines run plain Linux, and talhelper knows Talos only",
    next: "Name a cluster that runs Talos",
  });

export const noFile = (file: string) =>
  new SlipwayError({
    code: "SPEC_NO_FILE",
    what: `Cannot read "${file}"`,
    why: "there is no such file",
    next: "Write one with: slipway init --example quickstart, or name yours with -f FILE",
  });

export const fileTooLarge = (file: string, most: number) =>
  new SlipwayError({
    code: "SPEC_FILE_TOO_LARGE",
    what: `Cannot read "${file}"`,
    why: `it has more than ${most / 1024 / 1024} MiB, the most for a cluster file`,
    next: "Split it into several files in one folder, and name the folder with -f; large manifests go into files of their own",
  });

export const guestFileUnreadable = (f: { file: string; at: Position }) =>
  new SlipwayError({
    code: "SPEC_GUEST_FILE_UNREADABLE",
    what: `Cannot give "${f.file}" to the machines`,
    why: "it is not there, or cannot be read",
    next: "Name a file that is there; paths stand relative to the cluster file",
    at: f.at,
  });

export const notPublicKeys = (f: { file: string; at: Position }) =>
  new SlipwayError({
    code: "SPEC_NOT_PUBLIC_KEYS",
    what: `Cannot let the keys of "${f.file}" log in`,
    why: "it holds something else than public keys, one on each line",
    next: `Name the file that ends in .pub, such as ~/.ssh/id_ed25519.pub`,
    at: f.at,
  });

export const noSecretsYet = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_UP_YET",
    what: `Cannot export "${cluster}"`,
    why: "it has no secrets yet, and without them the export would describe another cluster",
    next: `Bring it up first: slipway up ${cluster}`,
    else: `Take over its secrets: slipway adopt ${cluster} --secrets FILE`,
  });

export const noApiYet = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_UP_YET",
    what: `Cannot ask Kubernetes of "${cluster}"`,
    why: "it has no secrets yet, so there is nothing to log in with",
    next: `Bring it up first: slipway up ${cluster}`,
  });

export const noNodeToAsk = (file: string) =>
  new SlipwayError({
    code: "RUN_NOT_A_NODE",
    what: "Cannot ask a node for the secrets",
    why: `"${file}" names no endpoint`,
    next: "Name a control plane with --node ADDRESS",
  });

export const noControlPlaneConfig = (asked: string[], cause: unknown) =>
  new SlipwayError({
    code: "TALOS_NO_CONTROL_PLANE",
    what: "Cannot take the secrets over from a running node",
    why: `no control plane gave its machine config; asked: ${asked.join(", ")}`,
    next: "Name a control plane that runs with --node ADDRESS",
    cause,
  });

export const noCloudAccount = (cluster: string, at: Position) =>
  new SlipwayError({
    code: "SPEC_NO_CLOUD_ACCOUNT",
    what: `Cannot rotate the Proxmox token of "${cluster}"`,
    why: "it has no Proxmox account of its own",
    next: `Write cloudAccount: true and run "slipway up ${cluster}" first`,
    at,
  });

export const accountNotHere = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NO_CLOUD_ACCOUNT",
    what: `Cannot give "${cluster}" its Proxmox account`,
    why: "its token is not on this machine, and Proxmox shows it only once",
    next: `Bring .slipway/${cluster}/proxmox-account.yaml to this machine`,
    else: `Make a new token: slipway proxmox rotate ${cluster}, then slipway up ${cluster}`,
  });
