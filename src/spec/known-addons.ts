/** Add-ons the file may name. Which of them this version installs is said by the operations, not here. */
export const knownAddons = [
  "argocd",
  "cert-manager",
  "cilium",
  "flux",
  "gateway-api-crds",
  "kubelet-csr-approver",
  "longhorn",
  "metrics-server",
  "nfs-csi",
  "prometheus-crds",
  "proxmox-ccm",
  "proxmox-csi",
  "rancher",
] as const;

export type KnownAddonName = (typeof knownAddons)[number];
