import type { KnownAddonName } from "../known-addons.ts";
import type { Addon } from "./model.ts";

/** What an add-on cannot work without. */
function needsOf(addon: Addon): KnownAddonName[] {
  switch (addon.name) {
    case "cilium":
      return addon.options.gatewayApi ? ["gateway-api-crds"] : [];
    case "metrics-server":
      return ["kubelet-csr-approver"];
    case "proxmox-csi":
      return ["proxmox-ccm"];
    case "rancher":
      return addon.options.tls.by === "cert-manager" ? ["cert-manager"] : [];
    default:
      return [];
  }
}

/** The add-ons of the file and what they need; who looks after an add-on looks after what came along with it. */
export function withBrought(addons: Addon[]): Addon[] {
  const all = [...addons];
  for (const addon of addons) {
    for (const name of needsOf(addon)) {
      if (!all.some((other) => other.name === name)) all.push(brought(name, addon));
    }
  }
  return all;
}

const brought = (name: KnownAddonName, by: Addon): Addon =>
  ({
    name,
    id: name,
    options: name === "gateway-api-crds" ? { channel: "standard" } : {},
    owner: by.owner,
    values: {},
    valuesFiles: [],
    secretValues: {},
    isBrought: true,
    at: by.at,
  }) as Addon;
