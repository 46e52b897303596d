import { SlipwayError } from "../../errors/index.ts";

interface Told {
  cluster: string;
  why: string;
}

export const planNotClean = (f: Told & { file: string }) =>
  new SlipwayError({
    code: "VERIFY_PLAN_NOT_CLEAN",
    what: `Cannot call "${f.cluster}" as ${f.file} says`,
    why: f.why,
    next: `See what differs: slipway plan ${f.cluster} --details`,
    else: `Make it so: slipway up ${f.cluster}`,
  });

export const machinesNotRunning = (f: Told) =>
  new SlipwayError({
    code: "VERIFY_MACHINES_NOT_RUNNING",
    what: `Cannot find every machine of "${f.cluster}" running where it belongs`,
    why: f.why,
    next: `Bring it back: slipway up ${f.cluster}`,
  });

export const noNetworkFound = (f: { cluster: string }) =>
  new SlipwayError({
    code: "VERIFY_NO_CNI",
    what: `Cannot find what connects the pods of "${f.cluster}"`,
    why: "no DaemonSet writes a CNI config on the nodes",
    next: `Leave cni out of the file, or add the add-on cilium to it; then: slipway up ${f.cluster}`,
  });

export const networkNotReady = (f: Told & { workload: string; namespace: string }) =>
  new SlipwayError({
    code: "VERIFY_CNI_NOT_READY",
    what: `Cannot connect the pods on every node of "${f.cluster}"`,
    why: f.why,
    next: `See what it says: kubectl -n ${f.namespace} logs daemonset/${f.workload} --all-containers`,
  });

export const nodesNotReady = (f: Told & { first: string }) =>
  new SlipwayError({
    code: "VERIFY_NODES_NOT_READY",
    what: `Cannot call every node of "${f.cluster}" Ready`,
    why: f.why,
    next: `See what it says: kubectl describe node ${f.first}`,
  });

export const wrongVersion = (f: Told & { version: string }) =>
  new SlipwayError({
    code: "VERIFY_KUBERNETES_VERSION",
    what: `Cannot find Kubernetes ${f.version} everywhere in "${f.cluster}"`,
    why: f.why,
    next: `See what would change: slipway plan ${f.cluster} --details`,
  });

export const noProbeCouldRun = (f: Told & { image: string }) =>
  new SlipwayError({
    code: "VERIFY_PROBE_NOT_STARTED",
    what: `Cannot try the network of "${f.cluster}" with pods`,
    why: f.why,
    next: `If ${f.image} cannot be pulled here, name another busybox: slipway verify ${f.cluster} --image IMAGE`,
    else: `Leave the pods out: slipway verify ${f.cluster} --quick`,
  });

export const namesNotResolved = (f: Told) =>
  new SlipwayError({
    code: "VERIFY_DNS_BROKEN",
    what: `Cannot resolve names in pods of "${f.cluster}"`,
    why: f.why,
    next: "Look at the cluster's DNS: kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide, and its log: kubectl -n kube-system logs -l k8s-app=kube-dns",
  });

export const namesNotForwarded = (f: Told & { upstream: string }) =>
  new SlipwayError({
    code: "VERIFY_DNS_NOT_FORWARDED",
    what: `Cannot resolve names outside of "${f.cluster}" in its pods`,
    why: f.why,
    next: `Look at "forward" in: kubectl -n kube-system get configmap coredns -o yaml; ${f.upstream} must be reachable from where DNS runs`,
  });

export const podsApart = (f: Told) =>
  new SlipwayError({
    code: "VERIFY_PODS_APART",
    what: `Cannot reach pods from pods everywhere in "${f.cluster}"`,
    why: f.why,
    next: "Allow the CNI's own traffic between these nodes (VXLAN: UDP 8472 with Cilium, 4789 with Flannel), with the same MTU on the way",
  });

export const claimNotWritten = (f: Told & { storageClass: string }) =>
  new SlipwayError({
    code: "VERIFY_CLAIM_NOT_WRITTEN",
    what: `Cannot keep data on volumes of class "${f.storageClass}" in "${f.cluster}"`,
    why: f.why,
    next: `Look at its driver: kubectl get storageclass ${f.storageClass} -o yaml names it, its pods say why`,
  });
