import { defineError, type Position } from "../../errors/index.ts";

export const patchFileMissing = defineError(
  "TALOS_PATCH_FILE_MISSING",
  (f: { file: string; at: Position; cause?: unknown }) => ({
    what: `Cannot read the patch "${f.file}"`,
    why: "the file is not there or not readable; it is looked for beside the cluster file",
    next: `Create "${f.file}" or correct its name in the cluster file`,
    at: f.at,
    cause: f.cause,
  }),
);

export const secretsLost = defineError(
  "SECRETS_LOST",
  (f: {
    cluster: string;
    folder: string;
    /** The nodes were found running; otherwise the cluster may never have been made. */
    areNodesFound: boolean;
  }) => ({
    what: `Cannot talk to the nodes of "${f.cluster}"`,
    why: f.areNodesFound
      ? `they run with secrets that are not in "${f.folder}"`
      : `its secrets are not in "${f.folder}": they were lost, or it was never brought up from here`,
    next: f.areNodesFound
      ? `Put the file with its secrets back into "${f.folder}" from git or a backup`
      : `See which of the two it is: slipway plan ${f.cluster}`,
    else: f.areNodesFound
      ? `With a talosconfig of an administrator, read them back: slipway adopt ${f.cluster} --talosconfig FILE`
      : undefined,
  }),
  [{ areNodesFound: false }],
);

export const otherCluster = defineError("TALOS_OTHER_CLUSTER", (f: { node: string; address: string }) => ({
  what: `Cannot configure "${f.node}"`,
  why: `the node at ${f.address} belongs to another cluster, or to this one with other secrets`,
  next: `Give "${f.node}" an address of its own, or bring back the secrets the node was made with`,
}));

export const memberUnreachable = defineError(
  "TALOS_MEMBER_SILENT",
  (f: { cluster: string; node: string; address: string; cause: unknown }) => ({
    what: `Cannot bootstrap "${f.cluster}"`,
    why: `${f.node} existed before and does not answer at ${f.address}; it may hold the cluster, and a second one would replace it`,
    next: `Start ${f.node} again, or run "slipway down ${f.cluster}" if the cluster may be lost`,
    cause: f.cause,
  }),
);

export const etcdImageMissing = defineError(
  "TALOS_ETCD_IMAGE",
  (f: { cluster: string; node: string; why: string }) => ({
    what: `Cannot start etcd on ${f.node}`,
    why: f.why,
    next: `Let ${f.node} reach that registry, or name a mirror of it in the file under talos.registries, then run "slipway up ${f.cluster}"`,
  }),
);

export const etcdCannotSpare = defineError(
  "TALOS_ETCD_QUORUM",
  (f: { cluster: string; node: string; why: string; isOnly: boolean }) => ({
    what: `Cannot take ${f.node} out of the etcd of "${f.cluster}"`,
    why: `${f.why}; etcd decides by more than half of its members, and without that the Kubernetes API takes no change`,
    next: f.isOnly
      ? `Give "${f.cluster}" more control planes first: count: 3, then slipway up ${f.cluster}`
      : `Bring its other control planes back first; see what keeps them: slipway doctor ${f.cluster}`,
  }),
  [{ isOnly: true }],
);

export const memberNotVoting = defineError(
  "TALOS_ETCD_JOIN",
  (f: { cluster: string; node: string; why: string; cause: unknown }) => ({
    what: `Cannot let ${f.node} join the etcd of "${f.cluster}"`,
    why: f.why,
    next: `See what keeps its control planes: slipway doctor ${f.cluster}`,
    cause: f.cause,
  }),
);

interface Settled {
  cluster: string;
  topic: string;
  from: string;
  to: string;
}

export const clusterSettled = defineError(
  "TALOS_NETWORK_SETTLED",
  (f: Settled) => ({
    what: `Cannot change the ${f.topic} of "${f.cluster}"`,
    why: `it runs with ${f.from}, the file asks for ${f.to}; nodes, pods and certificates that exist keep the old one, so the cluster would break`,
    next: `Put ${f.from === "none" ? "the old value" : f.from} back into the file`,
    else: `Create the cluster again: slipway down ${f.cluster}, then slipway up ${f.cluster}; what runs in it is lost`,
  }),
  [{ from: "none" }],
);

export const configUnasked = defineError(
  "TALOS_CONFIG_UNASKED",
  (f: { cluster: string; node: string; fields: string[] }) => ({
    what: `Cannot bring the config of "${f.node}" up to date`,
    why: `it did not answer when the plan was made; now it does, and differs in ${f.fields.slice(0, 3).join(", ")}${f.fields.length > 3 ? ` and ${f.fields.length - 3} more` : ""}, which may interrupt pods and was not confirmed`,
    next: `Look at what would change and agree to it: slipway up ${f.cluster}`,
  }),
);

export const resetRefused = defineError(
  "TALOS_RESET_REFUSED",
  (f: { node: string; address: string; cluster: string }) => ({
    what: `Cannot empty "${f.node}"`,
    why: `the node at ${f.address} has agreed to be reset, and five minutes later it still runs with its config`,
    next: `See what keeps it: slipway talosconfig ${f.cluster} > talosconfig, then talosctl --talosconfig talosconfig -n ${f.address} dmesg`,
  }),
);
