import { SlipwayError, type Position } from "../errors/index.ts";
import type { Hindrance, Refusal, SilentHost } from "../plan/index.ts";

export const clusterBusy = (cluster: string, pid: number, command: string, since: string) =>
  new SlipwayError({
    code: "RUN_CLUSTER_BUSY",
    what: `Cannot work on "${cluster}" now`,
    why: `"slipway ${command}" has been working on it since ${since} (process ${pid})`,
    next: 'Wait for it to end, or stop it with Ctrl-C, then run "slipway up" again',
  });

export const clusterHeld = (f: {
  cluster: string;
  by: string;
  command: string;
  since: string;
  host: string;
}) =>
  new SlipwayError({
    code: "RUN_CLUSTER_HELD",
    what: `Cannot work on "${f.cluster}" now`,
    why: `"slipway ${f.command}" of ${f.by} has been working on it since ${f.since}; so it stands on host "${f.host}"`,
    next: "Wait for it to end, then run the same command again; if it was killed, a minute is enough",
  });

export const clusterContested = (cluster: string, host: string) =>
  new SlipwayError({
    code: "RUN_CLUSTER_CONTESTED",
    what: `Cannot work on "${cluster}" now`,
    why: `others began at the same moment, and host "${host}" gave it to none of them in five attempts`,
    next: "Run the same command again",
  });

export const notAPlan = (file: string) =>
  new SlipwayError({
    code: "RUN_NOT_A_PLAN",
    what: `Cannot run the plan in "${file}"`,
    why: "it is no plan of this version of Slipway",
    next: `Make one: slipway plan --out ${file}`,
  });

export const notAsPlanned = (differences: string[]) =>
  new SlipwayError({
    code: "RUN_NOT_AS_PLANNED",
    what: "Cannot run this plan any more",
    why: `${differences.slice(0, 3).join("; ")}${differences.length > 3 ? ` and ${differences.length - 3} more` : ""}`,
    next: "Plan anew with plan --out, look at it, then run up --plan again; nothing was changed",
  });

export const bundleLeaks = (file: string) =>
  new SlipwayError({
    code: "RUN_BUNDLE_LEAKS",
    what: "Cannot make a support bundle",
    why: `"${file}" would hold a secret that could not be taken out; nothing was written`,
    next: "Report this as a defect of Slipway, with the name of that file",
  });

export const clusterProtected = (cluster: string, at: Position) =>
  new SlipwayError({
    code: "SPEC_PROTECTED",
    what: `Cannot take down "${cluster}"`,
    why: "it says protect: true",
    next: "Set protect: false and save; --yes does not override it",
    at,
  });

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

export const machineAbsent = (name: string, cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_UP_YET",
    what: `Cannot open the console of "${name}"`,
    why: "no machine carries its mark",
    next: `Bring it up first: slipway up ${cluster}`,
  });

export const machineOff = (name: string, cluster: string) =>
  new SlipwayError({
    code: "RUN_MACHINE_OFF",
    what: `Cannot open the console of "${name}"`,
    why: "its machine is off",
    next: `Start it: slipway up ${cluster}`,
  });

export const consoleElsewhere = (name: string, url: string) =>
  new SlipwayError({
    code: "RUN_NO_CONSOLE",
    what: `Cannot open the console of "${name}" here`,
    why: "its machine runs on Proxmox, whose consoles open in a browser only",
    next: `Use the browser: ${url}`,
  });

export const rancherNotYet = (cluster: string, at: Position) =>
  new SlipwayError({
    code: "SPEC_RANCHER_NOT_YET",
    what: `Cannot install Rancher on "${cluster}"`,
    why: "this version does not know how to set it up and log in",
    next: "Take rancher out of the add-ons, and install its chart once the cluster is up",
    at,
  });

export const noFile = (file: string) =>
  new SlipwayError({
    code: "SPEC_NO_FILE",
    what: `Cannot read "${file}"`,
    why: "there is no such file",
    next: "Write one with: slipway init --example quickstart, or name yours with -f FILE",
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

export const preflightFailed = (failed: number, all: number) =>
  new SlipwayError({
    code: "RUN_PREFLIGHT_FAILED",
    what: `Cannot start: ${failed} of ${all} preflight checks failed`,
    why: "each failed check above says what it found and what it needs; nothing was changed",
    next: 'Follow the "next" lines above, then run the command again',
  });

export const libvirtNotSimulated = (f: { file: string; cluster: string; hosts: string[]; at: Position }) =>
  new SlipwayError({
    code: "RUN_NOT_SIMULATED",
    what: `Cannot rehearse "${f.cluster}"`,
    why: `it runs on ${f.hosts.join(", ")} with libvirt, and only Proxmox is simulated`,
    next: `Look at what would be done: slipway plan -f ${f.file}`,
    else: `Try it for real on a test host: slipway up --until machines -f ${f.file}, then slipway down`,
    at: f.at,
  });

export const notRemovable = (clusters: string[], count: number, first: { why: string; next: string }) =>
  new SlipwayError({
    code: "RUN_NOT_REMOVABLE",
    what: `Cannot take down ${clusters.map((name) => `"${name}"`).join(", ")}`,
    why: `${first.why}${count > 1 ? `; ${count - 1} more reasons like it` : ""}`,
    next: first.next,
  });

export const notOneNode = (cluster: string, node: string) =>
  new SlipwayError({
    code: "RUN_NOT_ONE_NODE",
    what: `Cannot take down "${node}" alone`,
    why: "down takes whole clusters away; what is in the file would come back with the next up",
    next: `Take the node out of the file (count, skip), then run: slipway up ${cluster}`,
  });

/** Machines may stand on a host that cannot be asked, so nothing is decided without its answer. */
export const hostsSilent = (doing: string, silent: SilentHost[]) =>
  new SlipwayError({
    code: "RUN_HOSTS_SILENT",
    what: `Cannot ${doing}`,
    why: silent.map(({ host, error }) => `host "${host}" cannot be asked: ${error.why}`).join("; "),
    next: silent[0]?.error.next ?? "Bring the host back, then run the command again",
    else: `If it is gone for good, take it out of "on" and "hosts" in the cluster file`,
    ...(silent[0]?.error.at && { at: silent[0].error.at }),
  });

export const changesRefused = (count: number, first: Refusal) =>
  new SlipwayError({
    code: "RUN_NOT_ALLOWED",
    what:
      count === 1
        ? `Cannot change "${first.step}" without your word`
        : `Cannot make ${count} changes without your word`,
    why: first.why,
    next: first.next,
  });

export const notConfirmed = (what: string) =>
  new SlipwayError({
    code: "RUN_NOT_CONFIRMED",
    what: `Nothing was changed`,
    why: what,
    next: "Add --yes to go on without a question",
  });

export const somethingLeft = (names: string[]) =>
  new SlipwayError({
    code: "RUN_SOMETHING_LEFT",
    what: "Cannot call the cluster gone",
    why: `this is left: ${names.slice(0, 8).join(", ")}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`,
    next: 'Run "slipway down" again; remove in Proxmox what it does not take away',
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

export const noSnapshots = (hindrances: Hindrance[]) =>
  new SlipwayError({
    code: "RUN_NO_SNAPSHOTS",
    what: `Cannot take snapshots of ${hindrances.map(({ machine }) => machine.node).join(", ")}`,
    why: hindrances.map(({ why }) => why).join("; "),
    next: "Move their disks in Proxmox to a storage that can (LVM-thin, ZFS, Ceph), or do without snapshots",
  });

export const snapshotMissing = (name: string, known: string[]) =>
  new SlipwayError({
    code: "RUN_NOT_A_SNAPSHOT",
    what: `Cannot find snapshot "${name}"`,
    why: known.length === 0 ? "these machines have none" : `there are ${known.join(", ")}`,
    next: "See them with: slipway snapshot list",
  });

export const snapshotForeign = (name: string) =>
  new SlipwayError({
    code: "RUN_NOT_OUR_SNAPSHOT",
    what: `Cannot use snapshot "${name}"`,
    why: "Slipway did not take it, and touches only its own",
    next: "Use it in the Proxmox web page",
  });

export const partOfEtcd = (f: { cluster: string; going: string[]; staying: string[]; name: string }) =>
  new SlipwayError({
    code: "RUN_NOT_ALL_OF_ETCD",
    what: `Cannot roll back ${f.going.join(", ")} alone`,
    why: `${f.staying.join(", ")} would remember what ${f.going.join(", ")} forgot; etcd must go back on all control planes together or on none`,
    next: `Roll back the whole cluster: slipway snapshot rollback ${f.cluster} ${f.name}`,
    else: "Add --force if you will repair etcd by hand",
  });

export const hostTooSlow = (f: { host: string; at: Position; seconds: number }) =>
  new SlipwayError({
    code: "RUN_HOST_TOO_SLOW",
    what: `Host "${f.host}" does not answer`,
    why: `it took the connection or nothing at all, and said nothing for ${f.seconds} seconds`,
    next: `Check that "${f.host}" runs and can be reached from here, then run the command again`,
    at: f.at,
  });
