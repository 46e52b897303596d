import type { KubeClient } from "../../../../clients/kube/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import { components, settingsOf, type MachineConfigDocument } from "../../config/index.ts";
import { removals } from "./removals.ts";

/** What the config of a node still sets, in words. */
export function removedSettings(
  minor: number,
  node: string,
  documents: readonly MachineConfigDocument[],
): string[] {
  const { gates = [], flags = {} } = removals[minor] ?? {};
  return components.flatMap((component) => {
    const set = settingsOf(documents, component);
    return [
      ...(flags[component] ?? [])
        .filter((flag) => set.flags.includes(flag))
        .map((flag) => `the flag ${flag} of ${component} on ${node}`),
      ...gates
        .filter((gate) => set.gates.includes(gate))
        .map((gate) => `the feature gate ${gate} of ${component} on ${node}`),
    ];
  });
}

/** Objects that nobody could read any more, in words. */
export async function removedObjects(minor: number, kube: KubeClient): Promise<string[]> {
  const found = (removals[minor]?.kinds ?? []).map(async (kind) => {
    const { items } = await kube.list(kind).catch(noneServed);
    return items.map(
      ({ metadata }) => `${kind.kind} ${metadata.namespace ?? ""}/${metadata.name} of ${kind.apiVersion}`,
    );
  });
  return (await Promise.all(found)).flat();
}

/** A kind that is not served now has no objects. */
function noneServed(thrown: unknown): { items: { metadata: { namespace?: string; name: string } }[] } {
  const isUnknown =
    thrown instanceof SlipwayError && ["KUBE_KIND_UNKNOWN", "KUBE_NOT_FOUND"].includes(thrown.code);
  if (!isUnknown) throw thrown;
  return { items: [] };
}
