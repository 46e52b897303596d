import type { SimChart } from "../chart.ts";
import { argoCd } from "./argo-cd.ts";
import { certManager } from "./cert-manager.ts";
import { cilium } from "./cilium.ts";
import { csiDriverNfs } from "./csi-driver-nfs.ts";
import { fluxInstance, fluxOperator } from "./flux.ts";
import { kubeletCsrApprover, metricsServer } from "./kubelet.ts";
import { longhorn } from "./longhorn.ts";
import { prometheusOperatorCrds } from "./prometheus-operator-crds.ts";
import { rancher } from "./rancher.ts";
import { proxmoxCloudControllerManager, proxmoxCsiPlugin } from "./proxmox.ts";

/** Every stand-in, in every version it is kept in. */
export const standInCharts: readonly SimChart[] = [
  ...cilium,
  ...csiDriverNfs,
  ...proxmoxCloudControllerManager,
  ...proxmoxCsiPlugin,
  ...longhorn,
  ...prometheusOperatorCrds,
  ...metricsServer,
  ...kubeletCsrApprover,
  ...certManager,
  ...fluxOperator,
  ...fluxInstance,
  ...argoCd,
  ...rancher,
];
