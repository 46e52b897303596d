import { type Addon, type AddonName, chooseVersion, type Cluster } from "../spec/index.ts";
import type { AddonDefinition } from "./definition.ts";
import { addonDefinitions } from "./definitions.ts";

export interface ResolvedAddon {
  addon: Addon;
  definition: AddonDefinition;
  /** Of the chart or the manifests; empty where they bring their own. */
  version: string;
  /** Ids of the add-ons before it. */
  after: string[];
}

/** The add-ons of a cluster, those that others need included, each with its version and what comes before it. */
export function resolveAddons(cluster: Cluster): ResolvedAddon[] {
  return cluster.addons.flatMap((addon) => {
    const definition = addonDefinitions.get(addon.name);
    if (!definition) return [];
    const version = addon.version ?? usualVersion(addon.name, cluster);
    return [{ addon, definition, version, after: idsBefore(addon, definition, cluster) }];
  });
}

function usualVersion(name: AddonName, cluster: Cluster): string {
  if (name === "chart" || name === "manifest") return "";
  if (name === "gateway-api-crds") return gatewayApiFor(cluster);
  return chooseVersion(name, cluster.kubernetes) ?? "";
}

/** Every Cilium is built with one version of Gateway API. */
function gatewayApiFor(cluster: Cluster): string {
  const cilium = cluster.addons.find(({ name }) => name === "cilium");
  const version = cilium && (cilium.version ?? chooseVersion("cilium", cluster.kubernetes));
  if (version?.startsWith("1.18.")) return "1.3.0";
  if (version?.startsWith("1.19.")) return "1.4.0";
  return chooseVersion("gateway-api-crds", cluster.kubernetes) ?? "";
}

function idsBefore(addon: Addon, definition: AddonDefinition, cluster: Cluster): string[] {
  const others = cluster.addons.filter((other) => other.id !== addon.id && addonDefinitions.has(other.name));
  const before = others.filter((other) => isBefore(other, addon, definition));
  return before.map((other) => other.id);
}

function isBefore(other: Addon, addon: Addon, definition: AddonDefinition): boolean {
  if (addon.name === "chart" || addon.name === "manifest") {
    return addon.options.after?.includes(other.id) ?? !isLate(other);
  }
  const isNetwork = addonDefinitions.get(other.name)?.isNetwork === true;
  return (isNetwork && !definition.hasNoPods) || (definition.after?.includes(other.name) ?? false);
}

/** The user's own come before nothing unless they say so, and GitOps is the last of all. */
const isLate = ({ name }: Addon): boolean =>
  name === "chart" || name === "manifest" || name === "flux" || name === "argocd";
