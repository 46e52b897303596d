import type { Wire } from "./call.ts";
import { discoverKinds, discoverVersion, type KindPlace } from "./discovery.ts";
import { kindUnknown } from "./errors.ts";
import { wellKnownKinds } from "./well-known-kinds.ts";

export interface ResourcePlace {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}

/**
 * Turns kinds into paths. The usual ones are known by heart; the rest is asked for once. A kind that is still
 * unknown is asked for again each time, at its own group and version: its definition may just have come.
 */
export function resourcePaths(wire: Wire) {
  const known = new Map<string, KindPlace>(wellKnownKinds.map((served) => [keyOf(served), served]));
  let discovered: Promise<void> | undefined;
  const learn = (kinds: KindPlace[]) => {
    for (const served of kinds) known.set(keyOf(served), served);
  };

  async function lookUp(place: ResourcePlace, what: string, signal?: AbortSignal): Promise<KindPlace> {
    const key = keyOf(place);
    if (!known.has(key)) {
      discovered ??= discoverKinds(wire, what, signal).then(learn);
      // A failed question is asked again by the next caller.
      await discovered.catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    }
    if (!known.has(key)) learn(await discoverVersion(wire, place.apiVersion, what, signal));
    const served = known.get(key);
    if (!served) throw kindUnknown({ what, server: wire.server }, place.apiVersion, place.kind);
    return served;
  }

  return async function pathOf(place: ResourcePlace, what: string, signal?: AbortSignal): Promise<string> {
    const { apiVersion, namespace, name } = place;
    const served = await lookUp(place, what, signal);
    const inNamespace =
      served.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    const item = name === undefined ? "" : `/${encodeURIComponent(name)}`;
    return `${rootOf(apiVersion)}${inNamespace}/${served.resource}${item}`;
  };
}

const keyOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string => `${apiVersion} ${kind}`;

const rootOf = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
