import { splitManifests } from "../../../clients/helm/index.ts";
import type { KubeClient, Manifest } from "../../../clients/kube/index.ts";
import type { AddonPart, Workload, WorkloadKind } from "../../common/index.ts";
import type { AddonWant } from "../addon-want.ts";
import type { AddonWorld } from "../addon-world.ts";
import { objectsOf } from "./part-objects.ts";
import { findRelease } from "./find-release.ts";

const kinds: readonly string[] = ["Deployment", "DaemonSet", "StatefulSet"] satisfies WorkloadKind[];

/** The workloads among what an add-on is made of: nobody knows better when a chart of the user's own works. */
export async function workloadsMade(
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  signal: AbortSignal,
): Promise<{ workloads: Workload[]; missing: string | undefined }> {
  const found = await Promise.all(want.parts.map((part) => madeBy(world, kube, want, part, signal)));
  const missing = found.find((each) => typeof each === "string");
  return { workloads: found.flatMap((each) => (typeof each === "string" ? [] : each)), missing };
}

/** Its workloads, or what is missing before anybody could know them. */
async function madeBy(
  world: AddonWorld,
  kube: KubeClient,
  want: AddonWant,
  part: AddonPart,
  signal: AbortSignal,
): Promise<Workload[] | string> {
  if (part.kind === "release") {
    const release = await findRelease(kube, part, signal);
    if (!release) return `release ${part.name} is not there`;
    return workloadsIn(splitManifests(release.manifest), part.namespace);
  }
  return workloadsIn(await objectsOf(world, want.cluster, part), "default");
}

const workloadsIn = (
  objects: Pick<Manifest, "apiVersion" | "kind" | "metadata">[],
  namespace: string,
): Workload[] =>
  objects
    .filter(({ apiVersion, kind }) => apiVersion === "apps/v1" && kinds.includes(kind))
    .map(({ kind, metadata }) => ({
      kind: kind as WorkloadKind,
      namespace: metadata.namespace ?? namespace,
      name: metadata.name,
    }));
