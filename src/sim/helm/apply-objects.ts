import type { RenderedObject } from "../../clients/helm/index.ts";
import {
  checkGone,
  checkReady,
  type KubeClient,
  type KubeObject,
  type Manifest,
} from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";

/** What the work on one release shares. */
export interface ReleaseWork {
  kube: KubeClient;
  clock: Clock;
  signal: AbortSignal;
  name: string;
  namespace: string;
  /** When waiting ends, by the clock. */
  until: number;
  /** Whether a kind lives in namespaces. */
  isNamespaced(object: { apiVersion: string; kind: string }): boolean;
}

/** Words for helm's stderr. */
export class HelmFailure extends Error {}

const pollMs = 500;

/** The object as helm sends it: in its namespace, and marked as the release's. */
export function owned(work: ReleaseWork, object: RenderedObject): Manifest {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(work.isNamespaced(object) && { namespace: metadata.namespace ?? work.namespace }),
      labels: { ...metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
      annotations: {
        ...metadata.annotations,
        "meta.helm.sh/release-name": work.name,
        "meta.helm.sh/release-namespace": work.namespace,
      },
    },
  };
}

/** Stops when something that exists already is not the release's. */
export async function checkOwners(work: ReleaseWork, objects: readonly RenderedObject[]): Promise<void> {
  for (const object of objects) {
    const wanted = owned(work, object);
    const found = await work.kube.get(refTo(wanted), work.signal);
    const wrong = found && wrongMarks(work, found);
    if (!wrong) continue;
    const { name, namespace = "" } = wanted.metadata;
    throw new HelmFailure(
      `unable to continue with install: ${object.kind} "${name}" in namespace "${namespace}" exists and cannot be imported into the current release: invalid ownership metadata; ${wrong}`,
    );
  }
}

function wrongMarks(work: ReleaseWork, { metadata }: KubeObject): string | undefined {
  const marks: [string, string, string | undefined, string][] = [
    ["label", "app.kubernetes.io/managed-by", metadata.labels?.["app.kubernetes.io/managed-by"], "Helm"],
    [
      "annotation",
      "meta.helm.sh/release-name",
      metadata.annotations?.["meta.helm.sh/release-name"],
      work.name,
    ],
    [
      "annotation",
      "meta.helm.sh/release-namespace",
      metadata.annotations?.["meta.helm.sh/release-namespace"],
      work.namespace,
    ],
  ];
  const wrong = marks
    .filter(([, , found, wanted]) => found !== wanted)
    .map(([kind, key, found, wanted]) =>
      found === undefined
        ? `${kind} validation error: missing key "${key}": must be set to "${wanted}"`
        : `${kind} validation error: key "${key}" must equal "${wanted}": current value is "${found}"`,
    );
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

/** Server-side apply as helm, one after the other. A kind whose definition has just come is waited for. */
export async function applyObjects(
  work: ReleaseWork,
  objects: readonly RenderedObject[],
  isForced: boolean,
): Promise<void> {
  for (const object of objects) {
    const manifest = owned(work, object);
    for (;;) {
      try {
        await work.kube.apply(manifest, { fieldManager: "helm", isForced, signal: work.signal });
        break;
      } catch (error) {
        const { code, why } = error instanceof SlipwayError ? error : { code: "", why: String(error) };
        if (code === "KUBE_KIND_UNKNOWN" && work.clock.now() < work.until) {
          await work.clock.sleep(pollMs, work.signal);
          continue;
        }
        const { name, namespace = "" } = manifest.metadata;
        if (code === "KUBE_FIELDS_OWNED")
          throw new HelmFailure(
            `conflict occurred while applying object ${namespace}/${name} ${object.apiVersion}, Kind=${object.kind}: ${why}`,
          );
        throw error;
      }
    }
  }
}

/** Waits until every object is ready, and says which one is not. */
export async function waitReady(work: ReleaseWork, objects: readonly RenderedObject[]): Promise<void> {
  for (const object of objects) {
    const ref = refTo(owned(work, object));
    for (;;) {
      const look = await checkReady(work.kube, ref, work.signal).catch(failedLook);
      if (look.done) break;
      if (work.clock.now() >= work.until)
        throw new HelmFailure(
          `resource ${object.kind}/${ref.namespace ?? ""}/${ref.name} not ready. status: InProgress, message: ${look.seen ?? ""}\ncontext deadline exceeded`,
        );
      await work.clock.sleep(pollMs, work.signal);
    }
  }
}

/** What has failed for good is worth waiting for all the same: helm does. */
function failedLook(error: unknown): { done: false; seen: string } {
  if (error instanceof SlipwayError && error.code === "KUBE_WORKLOAD_FAILED")
    return { done: false, seen: error.why };
  throw error;
}

/** Deletes what helm made, last things first, and waits until it is gone. Objects marked to be kept stay. */
export async function deleteObjects(
  work: ReleaseWork,
  objects: readonly RenderedObject[],
  isWaiting: boolean,
): Promise<void> {
  const refs = objects
    .toReversed()
    .filter(({ metadata }) => metadata.annotations?.["helm.sh/resource-policy"] !== "keep")
    .map((object) => refTo(owned(work, object)));
  for (const ref of refs) await work.kube.delete(ref, { propagation: "Background", signal: work.signal });
  for (const ref of isWaiting ? refs : []) {
    while (!(await checkGone(work.kube, ref, work.signal)).done) {
      if (work.clock.now() >= work.until) throw new HelmFailure("context deadline exceeded");
      await work.clock.sleep(pollMs, work.signal);
    }
  }
}

const refTo = ({ apiVersion, kind, metadata: { name, namespace } }: Manifest) => ({
  apiVersion,
  kind,
  name,
  namespace,
});
