import { createHmac } from "node:crypto";
import path from "node:path";
import { splitManifests } from "../../../clients/helm/index.ts";
import type { Manifest } from "../../../clients/kube/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { BundlePart, ObjectsPart, SecretPlace } from "../../common/index.ts";
import type { AddonWorld } from "../addon-world.ts";
import type { ObjectRef } from "../inventory.ts";

/** The objects of a part, secrets in their places. What comes out of here is sent and shown to nobody. */
export async function objectsOf(
  world: AddonWorld,
  cluster: Cluster,
  part: ObjectsPart | BundlePart,
): Promise<Manifest[]> {
  if (part.kind === "bundle") return bundleObjects(world, cluster, part);
  return Promise.all(
    part.objects.map(({ manifest, secrets = [] }) => withSecrets(world, cluster, manifest, secrets)),
  );
}

/** Puts secret texts where they belong, in a copy. */
export async function withSecrets<T extends object>(
  world: AddonWorld,
  cluster: Cluster,
  target: T,
  secrets: SecretPlace[],
): Promise<T> {
  const copy = structuredClone(target);
  for (const { path: place, secret, isMark } of secrets) {
    const text =
      typeof secret === "string"
        ? await world.madeSecret(cluster, secret)
        : await world.resolveSecret(secret, `${place.join(".")} of an add-on of "${cluster.name}"`);
    setAt(copy as Record<string, unknown>, place, isMark ? markOf(text) : text);
  }
  return copy;
}

/** The text itself is the key, so that nothing can be tried against the mark without it. */
const markOf = (text: string): string =>
  createHmac("sha256", text).update("slipway").digest("hex").slice(0, 16);

function setAt(target: Record<string, unknown>, place: string[], value: unknown): void {
  const [key, ...rest] = place;
  if (key === undefined) return;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  const next = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  target[key] = next;
  setAt(next, rest, value);
}

async function bundleObjects(world: AddonWorld, cluster: Cluster, part: BundlePart): Promise<Manifest[]> {
  const { from, namespace } = part;
  const text = await ("url" in from
    ? world.fetchText(from.url)
    : world.readText(path.resolve(path.dirname(cluster.at.file), from.file)));
  const objects = splitManifests(text);
  return namespace === undefined ? objects : objects.map((object) => inNamespace(object, namespace));
}

/** Cluster-wide kinds ignore it. */
const inNamespace = (object: Manifest, namespace: string): Manifest => ({
  ...object,
  metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace },
});

export const refOf = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  name: metadata.name,
  namespace: metadata.namespace,
});
