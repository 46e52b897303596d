import { defineError } from "../../errors/index.ts";

export const otherClusterInBackup = defineError(
  "RESTORE_OTHER_CLUSTER",
  (f: { backup: string; cluster: string; of: string }) => ({
    what: `Cannot restore "${f.cluster}" from "${f.backup}"`,
    why: `it is a backup of "${f.of}"`,
    next: `Name the cluster it is of: slipway restore "${f.backup}" ${f.of}`,
  }),
);

export const otherDistribution = defineError(
  "RESTORE_OTHER_DISTRIBUTION",
  (f: { cluster: string; of: string; wanted: string }) => ({
    what: `Cannot restore "${f.cluster}"`,
    why: `the backup was taken from ${f.of}, and the cluster file says ${f.wanted}; neither reads the database of the other`,
    next: `Let the cluster file say ${f.of} again, in the place of ${f.wanted}`,
  }),
);

export const olderKubernetes = defineError(
  "RESTORE_OLDER_KUBERNETES",
  (f: { cluster: string; of: string; wanted: string }) => ({
    what: `Cannot restore "${f.cluster}"`,
    why: `the backup was taken from Kubernetes ${f.of}, and the cluster file says ${f.wanted}, which may not read all that is in it`,
    next: `Write kubernetes: ${f.of} into the cluster file, or a newer one of the same minor version`,
  }),
);

export const noSnapshotInBackup = defineError(
  "RESTORE_NO_SNAPSHOT",
  (f: { backup: string; cluster: string }) => ({
    what: `Cannot restore "${f.cluster}" from "${f.backup}"`,
    why: "it holds secrets and the cluster file, and no snapshot of etcd",
    next: `Take what is in it: slipway restore "${f.backup}" ${f.cluster} --files-only`,
    else: "Choose another backup: slipway backup list",
  }),
);

export const clusterRuns = defineError(
  "RESTORE_CLUSTER_RUNS",
  (f: { backup: string; cluster: string; nodes: string[] }) => ({
    what: `Cannot restore "${f.cluster}"`,
    why: `its etcd works: ${f.nodes.join(", ")} ${f.nodes.length === 1 ? "answers" : "answer"} and ${f.nodes.length === 1 ? "holds" : "hold"} what is newer than the backup; two databases under one name would tear the cluster apart`,
    next: `Run "slipway up ${f.cluster}" if a restore was cut short; for the files alone: slipway restore "${f.backup}" ${f.cluster} --files-only`,
    else: `If what is there may be lost: slipway down ${f.cluster}, then restore; data disks are kept`,
  }),
  [{ nodes: ["cp-1"] }],
);

export const foreignNode = defineError("RESTORE_FOREIGN_NODE", (f: { cluster: string; node: string }) => ({
  what: `Cannot restore "${f.cluster}"`,
  why: `${f.node} answers with secrets that are not those of the backup: another cluster may have its address`,
  next: `See what answers there: slipway doctor ${f.cluster}; restore a backup taken with these secrets, or give ${f.node} another address`,
}));

export const secretsDiffer = defineError(
  "RESTORE_SECRETS_DIFFER",
  (f: { cluster: string; file: string }) => ({
    what: `Cannot restore "${f.cluster}"`,
    why: `"${f.file}" is there and differs from the one in the backup; secrets are never replaced, for what runs with them would be lost`,
    next: `If no machine runs with them any more, move the folder of the cluster away from beside it, then run the restore again`,
  }),
);

export const notPutBack = defineError(
  "RESTORE_NOT_WRITTEN",
  (f: { file: string; why: string; cause: unknown }) => ({
    what: `Cannot put "${f.file}" back from the backup`,
    why: f.why,
    next: "See that its folder can be written, then run the restore again",
    cause: f.cause,
  }),
);

export const copyOfItself = defineError("RESTORE_COPY_OF_ITSELF", (f: { cluster: string }) => ({
  what: `Cannot restore "${f.cluster}" as a copy of itself`,
  why: "a copy needs a name of its own: under the same one it would be the same cluster",
  next: `Name another cluster of the file with --as, or leave --as out to bring "${f.cluster}" itself back`,
}));

export const copyNotInFile = defineError("RESTORE_COPY_UNKNOWN", (f: { copy: string; of: string }) => ({
  what: `Cannot restore "${f.of}" as "${f.copy}"`,
  why: `the cluster file has no cluster "${f.copy}", and a copy needs addresses and machines of its own`,
  next: `Write "${f.copy}" below "clusters", like "${f.of}" with other addresses and VMIDs, then run the command again`,
}));

export const copyNamesTaken = defineError(
  "RESTORE_COPY_NAMES",
  (f: { copy: string; of: string; nodes: string[] }) => ({
    what: `Cannot restore "${f.of}" as "${f.copy}"`,
    why: `${f.nodes.join(", ")} are called as nodes of "${f.of}" are: they would start the pods that the backup has for these, among them the one that holds its VIP`,
    next: `Give the nodes of "${f.copy}" names of their own in the cluster file, such as names: ${f.copy}-cp-{1}`,
  }),
);

export const copyOnOriginal = defineError(
  "RESTORE_COPY_ADDRESS",
  (f: { copy: string; of: string; node: string; address: string; original: string }) => ({
    what: `Cannot restore "${f.of}" as "${f.copy}"`,
    why: `${f.node} would have the address ${f.address}, which ${f.original} of "${f.of}" has`,
    next: `Give ${f.node} of "${f.copy}" another address in the cluster file`,
  }),
);
