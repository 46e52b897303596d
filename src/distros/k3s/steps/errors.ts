import { SlipwayError } from "../../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
}

const there = ({ cluster, node }: Place): string => `slipway ssh ${cluster}/${node}`;

export const secretsLost = (f: { cluster: string; folder: string }) =>
  new SlipwayError({
    code: "K3S_SECRETS_LOST",
    what: `Cannot speak to the servers of "${f.cluster}"`,
    why: `they run with a token and authorities that are not in "${f.folder}"`,
    next: `Put "${f.folder}/k3s-secrets.yaml" back from git or a backup`,
    else: `If the cluster may be lost: slipway down ${f.cluster}`,
  });

export const memberSilent = (f: Place & { peer: string; address: string; cause: unknown }) =>
  new SlipwayError({
    code: "K3S_MEMBER_SILENT",
    what: `Cannot found "${f.cluster}" on ${f.node}`,
    why: `${f.peer} existed before and does not answer at ${f.address}; it may hold the cluster, and a second one would take its place`,
    next: `Start ${f.peer} again, or run "slipway down ${f.cluster}" if the cluster may be lost`,
    cause: f.cause,
  });

export const addressOfOthers = (f: Place & { address: string; isVip: boolean }) =>
  new SlipwayError({
    code: "K3S_OTHER_CLUSTER",
    what: `Cannot set up K3s on "${f.node}"`,
    why: `another cluster, or this one with other secrets, answers at ${f.address}${f.isVip ? ", the VIP" : ""}`,
    next: f.isVip
      ? "Give the cluster a VIP that nobody uses (network.vip)"
      : `Give the server an address of its own, or bring back the secrets that ${f.address} was made with`,
  });

export const nameTaken = (f: Place & { address: string; other: string }) =>
  new SlipwayError({
    code: "K3S_NAME_TAKEN",
    what: `Cannot let "${f.node}" join "${f.cluster}"`,
    why: `Kubernetes has a node of that name at ${f.other}, which is Ready; this one is new and has ${f.address}`,
    next: `Find out what runs at ${f.other}. If it is no longer meant, switch it off and run: kubectl delete node ${f.node}`,
  });

export const downgrade = (f: Place & { from: string; to: string }) =>
  new SlipwayError({
    code: "K3S_DOWNGRADE",
    what: `Cannot go back from K3s ${f.from} to ${f.to} on "${f.node}"`,
    why: "an older K3s does not read what a newer one has written to etcd",
    next: `Write version: ${f.from} or newer; to really go back, restore a snapshot from before the upgrade`,
  });

export const minorSkipped = (f: Place & { from: string; to: string; between: string }) =>
  new SlipwayError({
    code: "K3S_MINOR_SKIPPED",
    what: `Cannot go from K3s ${f.from} to ${f.to} on "${f.node}" in one step`,
    why: "Kubernetes is upgraded one minor version at a time",
    next: `Write version: ${f.between} first and run "slipway up ${f.cluster}", then go on from there`,
  });

export const wrongArchitecture = (f: Place & { found: string; wanted: string }) =>
  new SlipwayError({
    code: "K3S_WRONG_ARCHITECTURE",
    what: `Cannot run K3s for ${f.wanted} on "${f.node}"`,
    why: `the machine says it is ${f.found}`,
    next: `Use an image for ${f.wanted}, or write architecture: ${f.found === "aarch64" ? "arm64" : "amd64"}`,
  });

export const cgroupsMissing = (f: Place & { missing: string[] }) =>
  new SlipwayError({
    code: "K3S_CGROUPS_MISSING",
    what: `Cannot run K3s on "${f.node}"`,
    why: `its kernel has no cgroup controller for ${f.missing.join(", ")}`,
    next: `Start it with "cgroup_enable=memory cgroup_memory=1" on the kernel's command line, or use a current Debian or Ubuntu image`,
  });

export const portsTaken = (f: Place & { ports: number[] }) =>
  new SlipwayError({
    code: "K3S_PORTS_IN_USE",
    what: `Cannot start K3s on "${f.node}"`,
    why: `something listens on port ${f.ports.join(", ")} already`,
    next: `See what it is and stop it: ${there(f)} -- sudo ss -ltnp`,
  });

export const clockOff = (f: Place & { aheadMs: number }) =>
  new SlipwayError({
    code: "K3S_CLOCK_OFF",
    what: `Cannot trust the clock of "${f.node}"`,
    why: `it is ${Math.round(Math.abs(f.aheadMs) / 1000)}s ${f.aheadMs > 0 ? "ahead of" : "behind"} this computer's, and certificates would not be valid yet, or no more`,
    next: `See whether it reaches its time server: ${there(f)} -- timedatectl timesync-status`,
  });

export const packagesFailed = (f: Place & { packages: string[]; said: string }) =>
  new SlipwayError({
    code: "K3S_PACKAGES_FAILED",
    what: `Cannot install ${f.packages.join(", ")} on "${f.node}"`,
    why: `apt-get says: ${f.said}`,
    next: `See that the name is right and the machine reaches its mirror: ${there(f)} -- sudo apt-get update`,
    transient: /lock|temporar/i.test(f.said),
  });

export const quorumAtRisk = (f: Place & { voters: string[]; all: number }) =>
  new SlipwayError({
    code: "K3S_QUORUM_AT_RISK",
    what: `Cannot take "${f.node}" out of "${f.cluster}"`,
    why: `of its ${f.all} servers only ${f.voters.join(", ") || "none"} would be left that etcd counts on, and it needs more than half of them now`,
    next: `Bring the other servers back first: slipway up ${f.cluster}`,
  });

export const networkSettled = (f: { cluster: string; topic: string; from: string; to: string }) =>
  new SlipwayError({
    code: "K3S_NETWORK_SETTLED",
    what: `Cannot change the ${f.topic} of "${f.cluster}"`,
    why: `it runs with ${f.from}, the file asks for ${f.to}; nodes, pods and certificates that exist keep the old one, so the cluster would fall apart`,
    next: `Put ${f.from === "none" ? "it as it was" : f.from} back into the file`,
    else: `Make the cluster anew: slipway down ${f.cluster}, then slipway up ${f.cluster}; what runs in it is lost`,
  });
