import { defineError, type Position } from "../../errors/index.ts";

interface Told {
  cluster: string;
  why: string;
}

export const planNotClean = defineError("VERIFY_PLAN_NOT_CLEAN", (f: Told & { file: string }) => ({
  what: `"${f.cluster}" is not as ${f.file} says`,
  why: f.why,
  next: `See what differs: slipway plan ${f.cluster} --details`,
  else: `Make it as the file says: slipway up ${f.cluster}`,
}));

export const machinesNotRunning = defineError("VERIFY_MACHINES_NOT_RUNNING", (f: Told) => ({
  what: `Not every machine of "${f.cluster}" runs where it belongs`,
  why: f.why,
  next: `Bring it back: slipway up ${f.cluster}`,
}));

/** What runs on a host that cannot be asked is not known, and nothing is to be brought back for it. */
export const machinesNotSeen = defineError(
  "VERIFY_MACHINES_NOT_SEEN",
  (f: { cluster: string; host: string; trouble: { why: string; next: string } }) => ({
    what: `Cannot see whether the machines of "${f.cluster}" run`,
    why: `host ${f.host} cannot be asked: ${f.trouble.why}`,
    next: f.trouble.next,
  }),
);

export const noNetworkFound = defineError("VERIFY_NO_CNI", (f: { cluster: string }) => ({
  what: `No pod network is installed in "${f.cluster}"`,
  why: "no DaemonSet writes a CNI config on the nodes",
  next: `Leave cni out of the file, or add the add-on cilium to it; then: slipway up ${f.cluster}`,
}));

export const networkNotReady = defineError(
  "VERIFY_CNI_NOT_READY",
  (f: Told & { workload: string; namespace: string }) => ({
    what: `Cannot connect the pods on every node of "${f.cluster}"`,
    why: f.why,
    next: `See what it says: kubectl -n ${f.namespace} logs daemonset/${f.workload} --all-containers`,
  }),
);

export const nodesNotReady = defineError("VERIFY_NODES_NOT_READY", (f: Told & { first: string }) => ({
  what: `Not every node of "${f.cluster}" is Ready`,
  why: f.why,
  next: `See what it says: kubectl describe node ${f.first}`,
}));

export const wrongVersion = defineError("VERIFY_KUBERNETES_VERSION", (f: Told & { version: string }) => ({
  what: `Not all of "${f.cluster}" runs Kubernetes ${f.version}`,
  why: f.why,
  next: `See what would change: slipway plan ${f.cluster} --details`,
}));

export const noProbeCouldRun = defineError("VERIFY_PROBE_NOT_STARTED", (f: Told & { image: string }) => ({
  what: `Cannot try the network of "${f.cluster}" with pods`,
  why: f.why,
  next: `If ${f.image} cannot be pulled here, name another busybox: slipway verify ${f.cluster} --image IMAGE`,
  else: `Leave the pods out: slipway verify ${f.cluster} --quick`,
}));

export const namesNotResolved = defineError("VERIFY_DNS_BROKEN", (f: Told) => ({
  what: `Cannot resolve names in pods of "${f.cluster}"`,
  why: f.why,
  next: "Look at the cluster's DNS: kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide, and its log: kubectl -n kube-system logs -l k8s-app=kube-dns",
}));

export const namesNotForwarded = defineError(
  "VERIFY_DNS_NOT_FORWARDED",
  (f: Told & { upstream: string }) => ({
    what: `Cannot resolve names outside of "${f.cluster}" in its pods`,
    why: f.why,
    next: `Look at "forward" in: kubectl -n kube-system get configmap coredns -o yaml; ${f.upstream} must be reachable from where DNS runs`,
  }),
);

export const podsDisconnected = defineError("VERIFY_PODS_APART", (f: Told) => ({
  what: `Not all pods of "${f.cluster}" reach each other`,
  why: f.why,
  next: "Allow the CNI's own traffic between these nodes (VXLAN: UDP 8472 with Cilium, 4789 with Flannel), with the same MTU on the whole path",
}));

export const claimNotWritten = defineError(
  "VERIFY_CLAIM_NOT_WRITTEN",
  (f: Told & { storageClass: string }) => ({
    what: `Cannot keep data on volumes of class "${f.storageClass}" in "${f.cluster}"`,
    why: f.why,
    next: `Look at its driver: kubectl get storageclass ${f.storageClass} -o yaml names it, its pods say why`,
  }),
);

export const newestTooOld = defineError(
  "BACKUP_TOO_OLD",
  (f: { cluster: string; age: string; most: string; at: Position }) => ({
    what: `The newest backup of "${f.cluster}" is too old`,
    why: `it is ${f.age} old, and the file allows ${f.most}`,
    next: `Take one: slipway backup ${f.cluster}`,
    at: f.at,
  }),
);

export const noBackupYet = defineError("BACKUP_NONE", (f: { cluster: string; at: Position }) => ({
  what: `There is no backup of "${f.cluster}"`,
  why: "none of its places has one",
  next: `Take one: slipway backup ${f.cluster}`,
  at: f.at,
}));

export const certificatesEnd = defineError(
  "VERIFY_CERTIFICATE_EXPIRED",
  (f: { cluster: string; names: string; renew: string }) => ({
    what: `Certificates of "${f.cluster}" have expired`,
    why: f.names,
    next: `Run what renews it: ${f.renew}`,
  }),
);
