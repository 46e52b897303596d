import type { RenderedObject } from "../../clients/helm/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { applyObjects, deleteObjects, HelmFailure, waitReady, type ReleaseWork } from "./apply-objects.ts";

export type HookEvent =
  | "pre-install"
  | "post-install"
  | "pre-upgrade"
  | "post-upgrade"
  | "pre-delete"
  | "post-delete";

/** Runs what the chart wants done around an operation: lightest first, each to its end. */
export async function runHooks(
  work: ReleaseWork,
  hooks: readonly RenderedObject[],
  event: HookEvent,
): Promise<void> {
  const due = hooks
    .filter((hook) => words(hook, "helm.sh/hook").includes(event))
    .toSorted((a, b) => weight(a) - weight(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const hook of due) {
    const policies = words(hook, "helm.sh/hook-delete-policy");
    if (policies.length === 0 || policies.includes("before-hook-creation"))
      await deleteObjects(work, [hook], true);
    await applyObjects(work, [hook], true);
    try {
      if (hook.kind === "Job" || hook.kind === "Pod") await waitReady(work, [hook]);
    } catch (error) {
      if (policies.includes("hook-failed")) await deleteObjects(work, [hook], false);
      const why =
        error instanceof HelmFailure ? error.message : error instanceof SlipwayError ? error.why : undefined;
      if (why === undefined) throw error;
      throw new HelmFailure(`failed ${event}: ${why}`);
    }
    if (policies.includes("hook-succeeded")) await deleteObjects(work, [hook], true);
  }
}

const words = (hook: RenderedObject, key: string): string[] =>
  (hook.metadata.annotations?.[key] ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

const weight = (hook: RenderedObject): number =>
  Number(hook.metadata.annotations?.["helm.sh/hook-weight"] ?? 0);
