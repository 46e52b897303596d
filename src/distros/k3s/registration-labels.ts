/** What a kubelet may say about itself among the names Kubernetes keeps to itself. */
const allowed = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);

/** Whether a node may register with this label; with any other K3s refuses to start, and only the API can set it. */
export function isRegistrationLabel(key: string): boolean {
  const [prefix = ""] = key.includes("/") ? key.split("/") : [];
  const isReserved = /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
  return !isReserved || allowed.has(key) || /(^|\.)(kubelet|node)\.kubernetes\.io$/.test(prefix);
}
