import type { Addon, AddonName } from "../spec/index.ts";
import { argocd } from "./argocd.ts";
import { certManager } from "./cert-manager.ts";
import { cilium } from "./cilium.ts";
import type { AddonDefinition } from "./definition.ts";
import { flux } from "./flux.ts";
import { gatewayApiCrds } from "./gateway-api-crds.ts";
import { kubeletCsrApprover } from "./kubelet-csr-approver.ts";
import { longhorn } from "./longhorn.ts";
import { metricsServer } from "./metrics-server.ts";
import { nfsCsi } from "./nfs-csi.ts";
import { ownChart, ownManifest } from "./own.ts";
import { prometheusCrds } from "./prometheus-crds.ts";
import { proxmoxCcm } from "./proxmox-ccm.ts";
import { proxmoxCsi } from "./proxmox-csi.ts";
import { rancher } from "./rancher.ts";

type DefinitionOf<Name extends AddonName> = AddonDefinition<Extract<Addon, { name: Name }>>;

const byName: { [Name in AddonName]: DefinitionOf<Name> } = {
  argocd,
  "cert-manager": certManager,
  chart: ownChart,
  cilium,
  flux,
  "gateway-api-crds": gatewayApiCrds,
  "kubelet-csr-approver": kubeletCsrApprover,
  longhorn,
  manifest: ownManifest,
  "metrics-server": metricsServer,
  "nfs-csi": nfsCsi,
  "prometheus-crds": prometheusCrds,
  "proxmox-ccm": proxmoxCcm,
  "proxmox-csi": proxmoxCsi,
  rancher,
};

/** Every add-on this version installs. */
export const addonDefinitions: ReadonlyMap<AddonName, AddonDefinition> = new Map(
  // Each is only ever given add-ons of its own name.
  Object.entries(byName) as unknown as [AddonName, AddonDefinition][],
);
