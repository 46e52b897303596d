import type { z } from "zod";
import type { DistributionKind, OptionsSchema } from "../model/distribution-kind.ts";
import type { GuestSystem } from "../model/linux.ts";
import type { OtherDistribution } from "../model/other-distribution.ts";
import { explainIssue, flattenIssues } from "../schema/issues/explain-issue.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Problem } from "../source/problem.ts";
import { isRecord, valueAt } from "../source/value-at.ts";
import type { ClusterDraft } from "./draft.ts";

/** What a cluster says of a distribution that is not built in. */
interface Taken {
  distribution: DistributionKind;
  options: unknown;
}

/**
 * Takes what belongs to other distributions out of a document, by cluster. What is left under their keys describes machines
 * from a cloud image, and is read as if it stood under `linux`.
 */
export function takeDistributions(
  document: LocatedDocument,
  kinds: readonly DistributionKind[],
): { taken: Map<string, Taken>; problems: Problem[] } {
  const taken = new Map<string, Taken>();
  const problems: Problem[] = [];
  for (const distribution of kinds) {
    const { name, options: schema } = distribution;
    if (!schema) continue;
    for (const cluster of document.mapKeys(["clusters"])) {
      const options = takeOptions(document, ["clusters", cluster], name, schema, problems);
      if (options !== undefined) taken.set(cluster, { distribution, options });
    }
  }
  return { taken, problems };
}

function takeOptions(
  document: LocatedDocument,
  path: string[],
  key: string,
  schema: OptionsSchema,
  problems: Problem[],
): unknown {
  const cluster = valueAt(document.value, path);
  const written = valueAt(document.value, [...path, key]);
  if (!isRecord(cluster) || !isRecord(written)) return undefined;
  const isOwn = ([name]: [string, unknown]): boolean => Object.hasOwn(schema.shape, name);
  const own = Object.fromEntries(Object.entries(written).filter(isOwn));
  const parsed = schema.safeParse(own, { jitless: true });
  const issues = flattenIssues((parsed.error?.issues ?? []) as z.core.$ZodIssue[], own);
  problems.push(
    ...issues.map((issue) => explainIssue({ ...issue, path: [...path, key, ...issue.path] }, document, [])),
  );
  delete cluster[key];
  cluster["linux"] = Object.fromEntries(Object.entries(written).filter((entry) => !isOwn(entry)));
  document.rename(path, key, "linux");
  return parsed.data ?? own;
}

/** The cluster with the distribution it asked for, where that is not built in. */
export function withDistribution(draft: ClusterDraft, taken: Taken | undefined): ClusterDraft {
  if (!taken) return draft;
  const { name, kubernetes } = taken.distribution;
  const distribution: OtherDistribution = {
    ...(draft.cluster.distribution as GuestSystem),
    kind: "other",
    name,
    options: taken.options,
  };
  const version = kubernetes?.(taken.options) ?? "";
  return { ...draft, cluster: { ...draft.cluster, distribution, kubernetes: version } };
}
