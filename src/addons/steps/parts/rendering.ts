import { chartText, keptRendering, type RenderKey, type RenderWant } from "../../../clients/helm/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { AddonPart, ReleasePart } from "../../common/index.ts";
import type { AddonWorld } from "../addon-world.ts";
import { chartRefOf } from "./release.ts";

/** What a rendering depends on; secrets are no part of it. */
export const renderWantOf = (cluster: Cluster, release: ReleasePart): RenderWant => ({
  name: release.name,
  namespace: release.namespace,
  chart: chartRefOf(cluster, release),
  values: release.values,
  kubeVersion: cluster.kubernetes,
});

export const renderKeyOf = (want: RenderWant): RenderKey => ({ ...want, chart: chartText(want.chart) });

/** How many objects parts consist of, where all their charts were rendered before. */
export async function objectsKnown(
  world: AddonWorld,
  cluster: Cluster,
  parts: AddonPart[],
): Promise<number | undefined> {
  const counts = await Promise.all(
    parts.map(async (part) => {
      if (part.kind === "objects") return part.objects.length;
      if (part.kind === "bundle") return undefined;
      return (await keptRendering(world.renderFolder, renderKeyOf(renderWantOf(cluster, part))))?.length;
    }),
  );
  return counts.reduce<number | undefined>(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}
