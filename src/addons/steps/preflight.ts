import { renderCached, chartText, type RenderWant } from "../../clients/helm/index.ts";
import { errorData, SlipwayError } from "../../errors/index.ts";
import type { Check, Finding } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { AddonPart, ReleasePart, SecretPlace } from "../definition.ts";
import type { AddonWant } from "./addon.ts";
import type { AddonWorld } from "./addon-world.ts";
import { chartRefOf } from "./release.ts";

/** What has to be at hand before the first machine is made: secrets, charts, and values the charts accept. */
export const addonPreflight = (world: AddonWorld, cluster: Cluster, wants: AddonWant[]): Check[] => [
  ...some(wants.flatMap(secretsIn), (needed) => secretsCheck(world, needed)),
  ...some(
    wants.flatMap(({ parts }) => parts.filter(isRelease)),
    (releases) => chartsCheck(world, cluster, releases),
  ),
];

const isRelease = (part: AddonPart): part is ReleasePart => part.kind === "release";

const some = <T>(items: T[], check: (items: T[]) => Check): Check[] =>
  items.length === 0 ? [] : [check(items)];

interface NeededSecret {
  addon: string;
  place: SecretPlace;
}

const secretsIn = ({ addon, parts }: AddonWant): NeededSecret[] =>
  parts
    .flatMap((part) => {
      if (part.kind === "objects") return part.objects.flatMap(({ secrets = [] }) => secrets);
      return part.kind === "release" ? (part.secrets ?? []) : [];
    })
    .map((place) => ({ addon: addon.id, place }));

const secretsCheck = (world: AddonWorld, needed: NeededSecret[]): Check => ({
  id: "addon-secrets",
  title: "Add-on secrets",
  async run() {
    // The account is made by the run itself.
    const own = needed.flatMap(({ addon, place: { secret, path } }) =>
      secret === "cloudAccount" ? [] : [{ addon, secret, path }],
    );
    for (const { addon, secret, path } of own) {
      const failed = await failureOf(world.resolveSecret(secret, `${path.join(".")} of add-on "${addon}"`));
      if (failed) return failed;
    }
    return { status: "ok", found: `${needed.length} known` };
  },
});

/** Rendering finds what is wrong with a chart or its values while nothing has been made yet. */
const chartsCheck = (world: AddonWorld, cluster: Cluster, releases: ReleasePart[]): Check => ({
  id: "addon-charts",
  title: "Add-on charts",
  async run({ signal }) {
    const objects: number[] = [];
    for (const release of releases) {
      const chart = chartRefOf(cluster, release);
      const want: RenderWant = {
        name: release.name,
        namespace: release.namespace,
        chart,
        values: release.values,
        kubeVersion: cluster.kubernetes,
      };
      const rendering = renderCached(world.renderFolder, { ...want, chart: chartText(chart) }, async () => {
        const helm = await world.openHelm(undefined);
        return helm.template(want, signal);
      });
      const failed = await failureOf(rendering);
      if (failed) return failed;
      const known = await rendering;
      if (!known.isKnown) return { status: "failed", error: errorData(known.why) };
      objects.push(known.objects.length);
    }
    const total = objects.reduce((sum, count) => sum + count, 0);
    return { status: "ok", found: `${releases.length} at hand, ${total} objects` };
  },
});

async function failureOf(work: Promise<unknown>): Promise<Finding | undefined> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return { status: "failed", error: errorData(thrown) };
    throw thrown;
  }
}
