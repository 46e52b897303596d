import type { KubeClient, KubeObject, Manifest } from "../../clients/kube/index.ts";

/** An object by which it is found again. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** A part of an add-on. It is recorded before it is made, so that nothing can be left behind unknown. */
export interface RecordedPart {
  name: string;
  kind: "objects" | "bundle" | "release";
  /** It was once made to its end. */
  isMade?: true;
  /** Those that left the part and are not gone yet are among them. Those of a release are in the release itself. */
  objects?: ObjectRef[];
  /** Where a release is; its name is the part's. */
  namespace?: string | undefined;
  isKept?: true | undefined;
}

/**
 * What was made for one add-on. It lies in the cluster itself, written before the first part is made, so that whoever
 * comes next, from whatever machine, knows what is Slipway's and what has been handed over.
 */
export interface Inventory {
  id: string;
  definition: string;
  owner: "slipway" | "gitops";
  version: string;
  parts: RecordedPart[];
}

/** Every part was once made to its end. */
export const isComplete = ({ parts }: Inventory): boolean => parts.every(({ isMade }) => isMade === true);

const namespace = "kube-system";
const label = "slipway.dev/addon";
const kind = { apiVersion: "v1", kind: "ConfigMap" };
const refOf = (id: string) => ({ ...kind, namespace, name: `slipway-addon-${id}` });

interface InventoryMap extends KubeObject {
  data?: { inventory?: string };
}

export async function readInventory(
  kube: KubeClient,
  id: string,
  signal: AbortSignal,
): Promise<Inventory | undefined> {
  const map = await kube.get<InventoryMap>(refOf(id), signal);
  return map && inventoryIn(map);
}

/** Of all add-ons of a cluster. */
export async function listInventories(kube: KubeClient, signal: AbortSignal): Promise<Inventory[]> {
  const { items } = await kube.list<InventoryMap>({ ...kind, namespace, labels: label }, signal);
  return items.flatMap((map) => inventoryIn(map) ?? []);
}

export async function writeInventory(
  kube: KubeClient,
  inventory: Inventory,
  signal: AbortSignal,
): Promise<void> {
  const { name } = refOf(inventory.id);
  const manifest: Manifest = {
    ...kind,
    metadata: {
      name,
      namespace,
      labels: { "app.kubernetes.io/managed-by": "slipway", [label]: inventory.id },
    },
    data: { inventory: JSON.stringify(inventory) },
  };
  await kube.apply(manifest, { isForced: true, signal });
}

export async function dropInventory(kube: KubeClient, id: string, signal: AbortSignal): Promise<void> {
  await kube.delete(refOf(id), { signal });
}

/** One that nobody can read counts as none: the add-on is then made again, over what is there. */
function inventoryIn(map: InventoryMap): Inventory | undefined {
  try {
    return JSON.parse(map.data?.inventory ?? "") as Inventory;
  } catch {
    return undefined;
  }
}
