import { defineError } from "../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
}

export const secretsLost = defineError(
  "K3S_SECRETS_LOST",
  (f: {
    cluster: string;
    folder: string;
    /** The servers were found running; otherwise the cluster may never have been made. */
    areNodesFound: boolean;
  }) => ({
    what: `Cannot talk to the servers of "${f.cluster}"`,
    why: f.areNodesFound
      ? `they run with a token and authorities that are not in "${f.folder}"`
      : `its secrets are not in "${f.folder}": they were lost, or it was never brought up from here`,
    next: f.areNodesFound
      ? `Put "${f.folder}/k3s-secrets.yaml" back from git or a backup`
      : `See which of the two it is: slipway plan ${f.cluster}`,
    else: f.areNodesFound ? `If the cluster may be lost: slipway down ${f.cluster}` : undefined,
  }),
  [{ areNodesFound: false }],
);

export const snapshotNotSaved = defineError("K3S_SNAPSHOT_NOT_SAVED", (f: Place & { why: string }) => ({
  what: `Cannot take a snapshot of etcd of "${f.cluster}"`,
  why: `K3s on ${f.node} says: ${f.why}`,
  next: `Look at the cluster first: slipway doctor ${f.cluster}`,
}));

export const snapshotBroken = defineError("K3S_SNAPSHOT_BROKEN", (f: Place & { why: string }) => ({
  what: `Cannot take a snapshot of etcd of "${f.cluster}"`,
  why: `what ${f.node} sent is ${f.why}; nothing has been changed`,
  next: `Look at the cluster first: slipway doctor ${f.cluster}`,
  transient: true,
}));

export const memberUnreachable = defineError(
  "K3S_MEMBER_SILENT",
  (f: Place & { peer: string; address: string; cause: unknown }) => ({
    what: `Cannot create "${f.cluster}" on ${f.node}`,
    why: `${f.peer} existed before and does not answer at ${f.address}; it may hold the cluster, and a second one would take its place`,
    next: `Start ${f.peer} again, or run "slipway down ${f.cluster}" if the cluster may be lost`,
    cause: f.cause,
  }),
);

export const addressOfOthers = defineError(
  "K3S_OTHER_CLUSTER",
  (f: Place & { address: string; isVip: boolean }) => ({
    what: `Cannot set up K3s on "${f.node}"`,
    why: `another cluster, or this one with other secrets, answers at ${f.address}${f.isVip ? ", the VIP" : ""}`,
    next: f.isVip
      ? "Give the cluster a VIP that is not in use (network.vip)"
      : `Give the server an address of its own, or bring back the secrets that ${f.address} was made with`,
  }),
  [{ isVip: false }],
);

export const nameTaken = defineError("K3S_NAME_TAKEN", (f: Place & { address: string; other: string }) => ({
  what: `Cannot let "${f.node}" join "${f.cluster}"`,
  why: `Kubernetes has a node of that name at ${f.other}, which is Ready; this one is new and has ${f.address}`,
  next: `Find out what runs at ${f.other}. If it is no longer wanted, switch it off and run: kubectl delete node ${f.node}`,
}));

export const downgrade = defineError("K3S_DOWNGRADE", (f: Place & { from: string; to: string }) => ({
  what: `Cannot go back from K3s ${f.from} to ${f.to} on "${f.node}"`,
  why: "an older K3s does not read what a newer one has written to etcd",
  next: `Write version: ${f.from} or newer; to really go back, restore a snapshot from before the upgrade`,
}));

export const minorSkipped = defineError(
  "K3S_MINOR_SKIPPED",
  (f: Place & { from: string; to: string; between: string }) => ({
    what: `Cannot go from K3s ${f.from} to ${f.to} on "${f.node}" in one step`,
    why: "Kubernetes is upgraded one minor version at a time",
    next: `Write version: ${f.between} first and run "slipway up ${f.cluster}", then go on from there`,
  }),
);

export const quorumAtRisk = defineError(
  "K3S_QUORUM_AT_RISK",
  (f: Place & { voters: string[]; all: number }) => ({
    what: `Cannot take "${f.node}" out of "${f.cluster}"`,
    why: `of its ${f.all} servers only ${f.voters.join(", ") || "none"} would be left in etcd, and it needs more than half of them`,
    next: `Bring the other servers back first: slipway up ${f.cluster}`,
  }),
);

export const networkSettled = defineError(
  "K3S_NETWORK_SETTLED",
  (f: { cluster: string; topic: string; from: string; to: string }) => ({
    what: `Cannot change the ${f.topic} of "${f.cluster}"`,
    why: `it runs with ${f.from}, the file asks for ${f.to}; nodes, pods and certificates that exist keep the old one, so the cluster would break`,
    next: `Put ${f.from === "none" ? "the old value" : f.from} back into the file`,
    else: `Create the cluster again: slipway down ${f.cluster}, then slipway up ${f.cluster}; what runs in it is lost`,
  }),
  [{ from: "none" }],
);

export const rotationHalfDone = defineError("K3S_ROTATION_HALF_DONE", (f: Place) => ({
  what: `Cannot let "${f.node}" join "${f.cluster}" now`,
  why: "the old CA of its servers is being dropped: some are known by the new one already, others are not",
  next: `Bring the rotation to its end first: slipway rotate ca kubernetes ${f.cluster} --finish`,
}));
