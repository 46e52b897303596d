import { digList, digNumber, digText, type KubeObject } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import { createPod, ownedBy, podOf, refusedAgainMs, type Workload } from "./owned-pods.ts";

/** Runs its pods to their end; one that fails is tried again until the limit says no. */
export function runJob(cluster: Cluster, job: Workload, time: string): number | undefined {
  const { store } = cluster;
  if (finishedAs(job) !== undefined) return removeLater(cluster, job);
  if (job.spec.suspend === true) return undefined;
  const wanted = job.spec.completions ?? job.spec.parallelism ?? 1;
  const pods = ownedBy(cluster, job, "Pod");
  const inPhase = (phase: string) => pods.filter((pod) => digText(pod, "status", "phase") === phase).length;
  const succeeded = inPhase("Succeeded");
  const failed = inPhase("Failed");
  const restarts = pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const limit = job.spec.backoffLimit ?? 6;
  const isFailed = failed > limit || (limit < 1 ? failed + restarts > 0 : restarts > limit);
  const isDone = succeeded >= wanted;
  let active = pods.length - succeeded - failed;
  let isRefused = false;
  const atOnce = isDone || isFailed ? 0 : Math.min(job.spec.parallelism ?? 1, wanted - succeeded);
  while (!isRefused && active < atOnce) {
    isRefused = !createPod(
      cluster,
      job,
      podOf(job, { generateName: `${job.metadata.name}-`, labels: jobLabels(job) }),
    );
    active += 1;
  }
  if (isFailed)
    for (const pod of pods)
      if (!/^(Succeeded|Failed)$/.test(digText(pod, "status", "phase"))) store.delete(refOf(pod));
  const status = {
    startTime: digText(job, "status", "startTime") || time,
    active: isDone || isFailed ? null : active,
    ready: isDone || isFailed ? 0 : inPhase("Running"),
    succeeded: succeeded || null,
    failed: failed || (isFailed ? 1 : null),
    ...(isDone && {
      completionTime: time,
      conditions: ended(
        time,
        "SuccessCriteriaMet",
        "Complete",
        "CompletionsReached",
        "Reached expected number of succeeded pods",
      ),
    }),
    ...(isFailed && {
      conditions: ended(
        time,
        "FailureTarget",
        "Failed",
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
      ),
    }),
  };
  store.patch(refOf(job), "merge", { status }, { subresource: "status" });
  return isRefused ? refusedAgainMs : undefined;
}

const ended = (time: string, first: string, last: string, reason: string, message: string) =>
  [first, last].map((type) => ({
    type,
    status: "True",
    reason,
    message,
    lastProbeTime: time,
    lastTransitionTime: time,
  }));

const restartsOf = (pod: KubeObject): number =>
  digList(pod, "status", "containerStatuses").reduce<number>(
    (sum, item) => sum + digNumber(item, "restartCount"),
    0,
  );

const finishedAs = (job: Workload): unknown =>
  digList(job, "status", "conditions").find((item) => /^(Complete|Failed)$/.test(digText(item, "type")));

/** A finished job may ask to be cleared away after a while. */
function removeLater({ store, clock }: Cluster, job: Workload): number | undefined {
  const keptS = job.spec.ttlSecondsAfterFinished;
  if (keptS === undefined) return undefined;
  const leftMs = Date.parse(digText(finishedAs(job), "lastTransitionTime")) + keptS * 1000 - clock.now();
  if (leftMs > 0) return leftMs;
  store.delete(refOf(job));
  return undefined;
}

const jobLabels = (job: KubeObject): Record<string, string> => ({
  "batch.kubernetes.io/job-name": job.metadata.name ?? "",
  "batch.kubernetes.io/controller-uid": job.metadata.uid ?? "",
  "job-name": job.metadata.name ?? "",
  "controller-uid": job.metadata.uid ?? "",
});
