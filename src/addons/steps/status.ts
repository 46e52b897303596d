import { SlipwayError } from "../../errors/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonWant } from "./addon-want.ts";
import type { AddonWorld } from "./addon-world.ts";
import { isComplete, listInventories, type Inventory } from "./inventory.ts";
import { whyNotReady } from "./readiness.ts";

export type AddonState = "Ready" | "Not Ready" | "Incomplete" | "Missing" | "Leaving" | "Handed over";

/** An add-on as it stands in its cluster. */
export interface AddonStatus {
  addon: string;
  state: AddonState;
  /** Of what is there; where nothing is, of the file. */
  version: string;
  owner: "slipway" | "gitops";
  /** What is worth knowing, e.g. why it is not ready. */
  know?: string | undefined;
}

/** The add-ons of the file and those that were made; undefined where the API does not answer. */
export async function addonStatus(
  world: AddonWorld,
  cluster: Cluster,
  wants: AddonWant[],
  signal: AbortSignal,
): Promise<AddonStatus[] | undefined> {
  try {
    const kube = await world.openKube(cluster);
    if (!kube) return undefined;
    const made = new Map((await listInventories(kube, signal)).map((each) => [each.id, each]));
    const wanted = await Promise.all(
      wants.map(async (want): Promise<AddonStatus> => {
        const inventory = made.get(want.addon.id);
        if (inventory?.owner !== "slipway") return unowned(want, inventory);
        const fault = await whyNotReady(world, kube, want, signal);
        return owned(want, inventory, fault);
      }),
    );
    const ids = new Set(wants.map(({ addon }) => addon.id));
    const left = [...made.values()].filter(({ id, owner }) => owner === "slipway" && !ids.has(id));
    return [...wanted, ...left.map(leftovers)];
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

function unowned({ addon, version }: AddonWant, inventory: Inventory | undefined): AddonStatus {
  const about = { addon: addon.id, owner: addon.owner };
  return inventory
    ? { ...about, state: "Handed over", version: inventory.version }
    : { ...about, state: "Missing", version, know: "not installed yet" };
}

function owned(want: AddonWant, inventory: Inventory, fault: string | undefined): AddonStatus {
  const about = { addon: want.addon.id, version: inventory.version, owner: inventory.owner };
  if (!isComplete(inventory))
    return { ...about, state: "Incomplete", know: fault ?? "its installation was cut; up finishes it" };
  if (fault !== undefined) return { ...about, state: "Not Ready", know: fault };
  const isOther = inventory.version !== want.version;
  return { ...about, state: "Ready", know: isOther ? `the file says ${want.version}` : undefined };
}

const leftovers = ({ id, version, owner }: Inventory): AddonStatus => ({
  addon: id,
  state: "Leaving",
  version,
  owner,
  know: "not in the file any more",
});
