import path from "node:path";
import {
  splitManifests,
  type ChartRef,
  type ReleaseRef,
  type StoredRelease,
} from "../../clients/helm/index.ts";
import type { KubeClient } from "../../clients/kube/index.ts";
import type { FieldChange, ReadContext, Seen, StepContext } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { ReleasePart } from "../definition.ts";
import type { AddonWorld } from "./addon-world.ts";
import { changedPaths, withoutPaths } from "./changed-paths.ts";
import { findRelease } from "./find-release.ts";
import type { ObjectRef } from "./inventory.ts";
import { missingObjects } from "./missing-objects.ts";
import { withSecrets, refOf } from "./part-objects.ts";
import { troubleOfHooks } from "./readiness.ts";

/** How a release differs from what is wanted. Which values differ is said, but never what they are. */
export async function readRelease(
  { signal }: ReadContext,
  world: AddonWorld,
  kube: KubeClient,
  cluster: Cluster,
  part: ReleasePart,
): Promise<FieldChange[]> {
  const release = await findRelease(kube, part, signal);
  if (!release) return [{ field: `release ${part.name}`, from: "missing", to: part.version }];
  if (release.status !== "deployed")
    return [{ field: `release ${part.name}`, from: release.status, to: "deployed" }];
  const places = (part.secrets ?? []).map((secret) => secret.path);
  const secretsNow = await withSecrets(world, cluster, part.values, part.secrets ?? []);
  const changed = [
    ...changedPaths(withoutPaths(release.values, places), withoutPaths(part.values, places)),
    ...changedPaths(release.values, secretsNow).filter((each) =>
      places.some((place) => each === place.join(".")),
    ),
  ];
  const missing = await missingObjects(kube, refsIn(release), signal);
  return [
    ...(sameVersion(release.version, part.version)
      ? []
      : [{ field: `chart of ${part.name}`, from: release.version, to: part.version }]),
    ...(changed.length === 0
      ? []
      : [{ field: `values of ${part.name}`, from: listed(changed), to: "as in the file" }]),
    ...missing.map((name) => ({ field: name, from: "missing", to: "there" })),
  ];
}

/** Helm leaves the namespace out where it is the release's own. */
const refsIn = ({ manifest, namespace }: StoredRelease): ObjectRef[] =>
  splitManifests(manifest).map((object) => ({ namespace, ...refOf(object) }));

const sameVersion = (one: string, other: string): boolean =>
  one.replace(/^v/, "") === other.replace(/^v/, "");

const listed = (paths: string[]): string =>
  paths.length > 4 ? `${paths.slice(0, 4).join(", ")} and ${paths.length - 4} more` : paths.join(", ");

/** Runs helm, and tells meanwhile what keeps its pods from coming up. */
export async function makeRelease(
  ctx: StepContext,
  world: AddonWorld,
  kube: KubeClient,
  cluster: Cluster,
  part: ReleasePart,
  addon: string,
): Promise<void> {
  const helm = await world.openHelm(cluster, (line) => ctx.log("debug", `helm: ${line}`));
  const values = await withSecrets(world, cluster, part.values, part.secrets ?? []);
  const ending = helm
    .upgradeInstall(
      {
        name: part.name,
        namespace: part.namespace,
        chart: chartRefOf(cluster, part),
        values,
        labels: { "slipway.dev/addon": addon, "slipway.dev/cluster": cluster.name },
        timeoutMs: hookMs,
        // What comes after hooks is waited for by Slipway, which can say why it takes so long.
        waitFor: "hooks",
        isTakingOver: true,
        isCreatingNamespace: true,
      },
      ctx.signal,
    )
    .then(
      () => ({ done: true as const, value: undefined }),
      (thrown: unknown) => ({ done: true as const, value: { thrown } }),
    );
  const failed = await ctx.waitFor(
    { what: `helm to install ${part.name}`, probe: "helm", deadlineMs: hookMs + 60_000, usualMs: 5_000 },
    async (): Promise<Seen<{ thrown: unknown } | undefined>> =>
      (await Promise.race([ending, ctx.clock.sleep(50, ctx.signal)])) ?? {
        done: false,
        seen: (await troubleOfHooks(kube, part.namespace, ctx.signal)) ?? "helm is at work",
      },
  );
  if (failed) throw failed.thrown;
}

const hookMs = 300_000;

/** Where helm finds the chart: paths are meant from the cluster file; a folder of charts stands for every other source. */
export function chartRefOf(cluster: Cluster, { chart, version }: ReleasePart): ChartRef {
  const resolve = (file: string): string => path.resolve(path.dirname(cluster.at.file), file);
  if ("path" in chart) return { source: { path: resolve(chart.path) } };
  const name = "oci" in chart ? chart.oci.slice(chart.oci.lastIndexOf("/") + 1) : chart.name;
  if (cluster.charts) return { source: { folder: resolve(cluster.charts.folder), chart: name }, version };
  return { source: "oci" in chart ? chart : { repo: chart.repository, chart: chart.name }, version };
}

export async function removeRelease(
  { signal }: StepContext,
  world: AddonWorld,
  cluster: Cluster,
  release: ReleaseRef,
): Promise<void> {
  const helm = await world.openHelm(cluster);
  await helm.uninstall({ ...release, timeoutMs: hookMs }, signal);
}
