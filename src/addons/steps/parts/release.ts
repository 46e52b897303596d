import path from "node:path";
import {
  isPending,
  recoverRelease,
  splitManifests,
  type ChartRef,
  type HelmClient,
  type ReleaseRef,
  type StoredRelease,
} from "../../../clients/helm/index.ts";
import type { KubeClient, Manifest } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { FieldChange, ReadContext, Seen, StepContext } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { ReleasePart } from "../../common/index.ts";
import type { AddonWorld } from "../addon-world.ts";
import { changedPaths } from "./changed-paths.ts";
import { findRelease } from "./find-release.ts";
import { driftFields, driftOf, listed } from "./drift.ts";
import { withSecrets } from "./part-objects.ts";
import { next, troubleOfHooks } from "../readiness.ts";

/** How a release differs from what is wanted. Which values differ is said, but never what they are. */
export async function readRelease(
  { signal }: ReadContext,
  world: AddonWorld,
  kube: KubeClient,
  cluster: Cluster,
  part: ReleasePart,
  /** The version of the add-on that was recorded: where only that changes, it is told once, as the add-on's. */
  recorded: string,
): Promise<FieldChange[]> {
  const release = await findRelease(kube, part, signal);
  if (!release) return [{ field: `release ${part.name}`, from: "missing", to: part.version }];
  if (release.status !== "deployed")
    return [{ field: `release ${part.name}`, from: release.status, to: "deployed" }];
  const values = await withSecrets(world, cluster, part.values, part.secrets ?? []);
  const changed = changedPaths(release.values, values);
  const isVersionTold = sameVersion(release.version, part.version) || sameVersion(release.version, recorded);
  // A chart on this machine says itself which version it is.
  const isVersionOpen = part.version === "";
  const drifts = await driftOf(kube, objectsIn(release), signal, { isLenient: true });
  return [
    ...(isVersionTold || isVersionOpen
      ? []
      : [{ field: `chart of ${part.name}`, from: release.version, to: part.version }]),
    ...(changed.length === 0
      ? []
      : [{ field: `values of ${part.name}`, from: listed(changed), to: "as in the file" }]),
    ...driftFields(drifts, part.name),
  ];
}

/** Helm leaves the namespace out where it is the release's own. */
const objectsIn = ({ manifest, namespace }: StoredRelease): Manifest[] =>
  splitManifests(manifest).map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace },
  }));

const sameVersion = (one: string, other: string): boolean =>
  one.replace(/^v/, "") === other.replace(/^v/, "");

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
  await freeRelease(ctx, kube, helm, part);
  const overdue = new AbortController();
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
      AbortSignal.any([ctx.signal, overdue.signal]),
    )
    .then(
      () => ({ done: true as const, value: undefined }),
      (thrown: unknown) => ({ done: true as const, value: { thrown } }),
    );
  const wait = {
    what: `helm to install ${part.name}`,
    probe: "helm",
    deadlineMs: hookMs + 60_000,
    usualMs: 5_000,
    next: next(cluster.name),
  };
  const failed = await ctx
    .waitFor(
      wait,
      async (): Promise<Seen<{ thrown: unknown } | undefined>> =>
        (await Promise.race([ending, ctx.clock.sleep(50, ctx.signal)])) ?? {
          done: false,
          seen: (await troubleOfHooks(kube, part.namespace, ctx.signal)) ?? "helm is at work",
        },
    )
    .catch(async (thrown: unknown) => {
      // A run that is stopped lets helm come to its end, as far as its grace goes: half an installation is none.
      if (thrown instanceof SlipwayError) overdue.abort(thrown);
      await ending;
      throw thrown;
    });
  if (failed) throw failed.thrown;
}

const hookMs = 300_000;
/** So long a helm that lost its Slipway may still be at work. */
const quietMs = 30_000;

/** A helm that was killed leaves the release pending, and every other one refuses to touch it then. */
async function freeRelease(
  ctx: StepContext,
  kube: KubeClient,
  helm: HelmClient,
  { name, namespace }: ReleaseRef,
): Promise<void> {
  const last = await findRelease(kube, { name, namespace }, ctx.signal);
  if (!last || (!isPending(last) && last.status !== "uninstalling")) return;
  const outcome = await ctx.waitFor(
    { what: `release ${name} to be free`, probe: "helm", deadlineMs: 2 * quietMs + hookMs, usualMs: 1_000 },
    async (signal) => {
      const recovery = {
        ...{ helm, name, namespace, quietMs, timeoutMs: hookMs, now: ctx.clock.now() },
        forget: (secret: { namespace: string; name: string }) =>
          kube.delete({ apiVersion: "v1", kind: "Secret", ...secret }, { signal }),
      };
      return { done: true as const, value: await recoverRelease(recovery, signal) };
    },
  );
  ctx.log("info", `release ${name} was left ${last.status} by a run that was cut: ${outcome}`);
}

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
