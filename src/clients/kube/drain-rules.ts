import { controllerOf } from "./kinds/object.ts";
import type { KubePod } from "./kinds/workloads.ts";

/** What may be lost for the sake of an empty node; neither if not given. */
export interface DrainAllowances {
  /** Pods that keep files in an emptyDir lose them. */
  mayLoseScratch?: boolean;
  /** Pods that no controller makes again are gone for good. */
  mayLoseUnmanaged?: boolean;
  /** The node comes back: pods that no controller makes again stay, and start with it. */
  leavesUnmanaged?: boolean;
}

export type DrainVerdict = { do: "evict" | "wait" } | { do: "leave" | "refuse"; why: string };

const mirrorMark = "kubernetes.io/config.mirror";

/** Its kubelet runs it from a file; Kubernetes only shows it. */
export const isStaticPod = ({ metadata }: KubePod): boolean =>
  metadata.annotations?.[mirrorMark] !== undefined;

/**
 * What a drain does with one pod; the same rules in the same order as kubectl's. `daemonSets` are those that exist,
 * as `namespace/name`: a pod whose DaemonSet is gone is nobody's.
 */
export function drainVerdict(
  pod: KubePod,
  daemonSets: Set<string>,
  allowed: DrainAllowances = {},
): DrainVerdict {
  if (pod.metadata.deletionTimestamp !== undefined) return { do: "wait" };
  const isFinished = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  const owner = controllerOf(pod);
  if (owner?.kind === "DaemonSet" && !isFinished) {
    if (daemonSets.has(`${pod.metadata.namespace ?? ""}/${owner.name}`))
      return { do: "leave", why: "its DaemonSet would bring it back at once" };
    if (!allowed.mayLoseUnmanaged) return { do: "refuse", why: `its DaemonSet "${owner.name}" is gone` };
  }
  if (isStaticPod(pod)) return { do: "leave", why: "the node runs it from a file of its own" };
  if (isFinished) return { do: "evict" };
  if (!owner && allowed.leavesUnmanaged) return { do: "leave", why: "it starts again with its node" };
  const scratch = (pod.spec?.volumes ?? []).filter((volume) => "emptyDir" in volume).map(({ name }) => name);
  if (scratch.length > 0 && !allowed.mayLoseScratch)
    return { do: "refuse", why: `it would lose the files in its emptyDir ${scratch.join(", ")}` };
  if (!owner && !allowed.mayLoseUnmanaged)
    return { do: "refuse", why: "nothing would make it again: it has no controller" };
  return { do: "evict" };
}
