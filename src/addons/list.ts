/** Every add-on of this version: a folder each, and a line here. */
export { argocd } from "./argocd/index.ts";
export { certManager } from "./cert-manager/index.ts";
export { cilium } from "./cilium/index.ts";
export { flux } from "./flux/index.ts";
export { gatewayApiCrds } from "./gateway-api-crds/index.ts";
export { kubeletCsrApprover } from "./kubelet-csr-approver/index.ts";
export { longhorn } from "./longhorn/index.ts";
export { metricsServer } from "./metrics-server/index.ts";
export { nfsCsi } from "./nfs-csi/index.ts";
export { ownChart, ownManifest } from "./own/index.ts";
export { prometheusCrds } from "./prometheus-crds/index.ts";
export { proxmoxCcm } from "./proxmox-ccm/index.ts";
export { proxmoxCsi } from "./proxmox-csi/index.ts";
export { rancher } from "./rancher/index.ts";
export { slipway } from "./slipway/index.ts";
