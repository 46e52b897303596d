import { given } from "../given.ts";
import type { Cidr } from "../ipv4.ts";
import type { LocatedDocument } from "../located-document.ts";
import type { Node } from "../model.ts";
import type { Path } from "../text-places.ts";
import { withBrought } from "./brought.ts";
import { completeCilium } from "./cilium-schema.ts";
import { chartSource, completeValues, type WrittenValues } from "./common-fields.ts";
import { completeArgocd, completeFlux } from "./gitops-schemas.ts";
import type { Addon } from "./model.ts";
import { completeRancher } from "./rancher-schema.ts";
import type { WrittenAddon } from "./schema.ts";
import {
  completeLonghorn,
  completeNfs,
  completeProxmoxCsi,
  defaultClass,
  type IsDefault,
} from "./storage.ts";

/** What add-ons learn from the rest of their cluster. */
export interface AddonSurroundings {
  cluster: string;
  cidr: Cidr;
  nodes: Node[];
  isSchedulingOnControlPlanes: boolean | undefined;
}

/** The add-ons of a cluster with every default filled in, those that others cannot do without included. */
export function completeAddons(
  written: readonly WrittenAddon[],
  around: AddonSurroundings,
  document: LocatedDocument,
  path: Path,
): Addon[] {
  const isDefault = defaultClass(written);
  return withBrought(
    written.map((addon, i): Addon => {
      const at = document.locate([...path, i]);
      return { ...named(addon, around, isDefault), ...settings(addon), at } as Addon;
    }),
  );
}

type Named = Pick<Addon, "name" | "id" | "options">;

function named(addon: WrittenAddon, around: AddonSurroundings, isDefault: IsDefault): Named {
  const { name } = addon;
  switch (name) {
    case "cilium":
      return { name, id: name, options: completeCilium(addon.options, around.cidr) };
    case "nfs-csi":
      return { name, id: name, options: completeNfs(addon.options, isDefault) };
    case "proxmox-csi":
      return { name, id: name, options: completeProxmoxCsi(addon.options, isDefault) };
    case "longhorn":
      return { name, id: name, options: completeLonghorn(addon.options, around, isDefault) };
    case "flux":
      return { name, id: name, options: completeFlux(addon.options, around.cluster) };
    case "argocd":
      return { name, id: name, options: completeArgocd(addon.options) };
    case "rancher":
      return { name, id: name, options: completeRancher(addon.options, around.nodes.length) };
    case "gateway-api-crds":
      return { name, id: name, options: { channel: addon.options.channel } };
    case "chart": {
      const { namespace, podSecurity, after } = addon.options;
      return { name, id: addon.options.name, options: { namespace, ...given({ podSecurity, after }) } };
    }
    case "manifest": {
      const { url, file, namespace, after } = addon.options;
      const from = url === undefined ? { file: file ?? "" } : { url };
      return { name, id: addon.options.name, options: { from, ...given({ namespace, after }) } };
    }
    default:
      return { name, id: name, options: {} };
  }
}

function settings({ name, options }: WrittenAddon) {
  const none: WrittenValues = { values: {}, valuesFiles: [], secretValues: {} };
  const chart = "chart" in options ? options.chart : undefined;
  return {
    owner: options.owner,
    ...given({ version: "version" in options ? options.version : undefined }),
    ...completeValues("values" in options ? options : none),
    ...given({
      chart: chart && chartSource(chart, name === "chart" ? options.name : (usualChartNames[name] ?? name)),
    }),
  };
}

/** Charts that are not called as their add-on is. */
const usualChartNames: Partial<Record<WrittenAddon["name"], string>> = {
  argocd: "argo-cd",
  flux: "flux-operator",
  "nfs-csi": "csi-driver-nfs",
  "prometheus-crds": "prometheus-operator-crds",
  "proxmox-ccm": "proxmox-cloud-controller-manager",
  "proxmox-csi": "proxmox-csi-plugin",
};
