import { whileTimeStands } from "../../lib/index.ts";
import { type Addon, chooseVersion, type Cluster, kindNamed } from "../../spec/index.ts";
import type { AddonDefinition, AddonInstallation } from "../common/index.ts";

export interface ResolvedAddon {
  addon: Addon;
  definition: AddonDefinition;
  /** Of the chart or the manifests; empty where they bring their own. */
  version: string;
  /** Ids of the add-ons before it. */
  after: string[];
}

/** The add-ons of a cluster, those that others need included, each with its version and what comes before it. */
export function resolveAddons(cluster: Cluster, definitions: readonly AddonDefinition[]): ResolvedAddon[] {
  const known = cluster.addons.flatMap((addon) => {
    const definition = kindNamed(definitions, addon.name);
    return definition ? [{ addon, definition }] : [];
  });
  const versioned = known.map(({ addon, definition }) => ({
    facts: addon.facts,
    version: addon.version ?? chooseVersion(definition.versions, cluster.kubernetes) ?? "",
  }));
  return known.map(({ addon, definition }, i) => ({
    addon,
    definition,
    version: addon.version ?? definition.versionBeside?.(versioned) ?? versioned[i]?.version ?? "",
    after: known
      .filter((other) => other.addon.id !== addon.id && isBefore(other.addon, addon, definition))
      .map((other) => other.addon.id),
  }));
}

function isBefore(other: Addon, addon: Addon, definition: AddonDefinition): boolean {
  if (addon.facts.isOwn) return addon.facts.comesAfter?.includes(other.id) ?? !isLate(other);
  const isNetwork = other.facts.connectsPods === true;
  return (isNetwork && !definition.hasNoPods) || (definition.after?.includes(other.name) ?? false);
}

/** The user's own come before nothing unless they say so, and GitOps is the last of all. */
const isLate = ({ facts }: Addon): boolean => facts.isOwn === true || facts.gitOps !== undefined;

/** The same, each with the way it is made. */
export const installAddons = (
  cluster: Cluster,
  definitions: readonly AddonDefinition[],
): Promise<(ResolvedAddon & { installation: AddonInstallation })[]> =>
  Promise.all(
    resolveAddons(cluster, definitions).map(async (resolved) => ({
      ...resolved,
      installation: await loadInstallation(resolved.definition),
    })),
  );

/** Modules are loaded in real time, which a rehearsal must not count. */
export const loadInstallation = (definition: AddonDefinition): Promise<AddonInstallation> =>
  whileTimeStands(() => definition.install());
