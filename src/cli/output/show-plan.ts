import { clusterOfStep, planEvent, type Plan } from "../../plan/index.ts";
import type { Preview } from "../../operations/index.ts";
import { type Screen, renderPlan } from "../views/index.ts";

export interface ShownPlan {
  command: string;
  file: string;
  clusters: string[];
  plan: Plan;
  readAgoMs: number;
  /** What is known around a plan that makes things; a removal has nothing around it. */
  preview?: Pick<Preview, "checks" | "survey" | "placed"> | undefined;
  details?: boolean;
  isRemoval?: boolean;
  keeps?: string | undefined;
  upFlags?: string[] | undefined;
}

/** The plan screen of each cluster, one below the other. */
export function showPlan(shown: ShownPlan, screen: Screen): string {
  const { command, file, readAgoMs, plan, preview } = shown;
  return shown.clusters
    .map((cluster) =>
      renderPlan(
        {
          command,
          file,
          readAgoMs,
          tookMs: readAgoMs,
          cluster,
          plan: planEvent({ ...plan, same: plan.same.filter((id) => clusterOfStep(id) === cluster) }),
          details: shown.details ?? false,
          isRemoval: shown.isRemoval ?? false,
          keeps: shown.keeps,
          checks: preview && {
            passed: preview.checks.filter((check) => check.status !== "failed").length,
            total: preview.checks.length,
          },
          hosts: preview && memoryLeft(preview, plan, cluster),
          upFlags: shown.upFlags,
        },
        screen,
      ),
    )
    .join("\n");
}

/** What each host has left once the machines of the plan run. */
function memoryLeft({ survey, placed }: Pick<Preview, "survey" | "placed">, plan: Plan, cluster: string) {
  const created = new Set(
    plan.changes
      .filter((change) => change.action === "create" && change.node.group === "nodes")
      .map((change) => change.node.node),
  );
  const nodes = placed.get(cluster) ?? [];
  const used = new Set(nodes.map(({ host }) => host.name));
  return survey.hosts
    .filter((facts) => used.has(facts.host))
    .map((facts) => {
      const coming = nodes.filter(({ host, node }) => host.name === facts.host && created.has(node.name));
      const neededMiB = coming.reduce((sum, { node }) => sum + node.memoryMiB, 0);
      return {
        name: facts.host,
        memoryMiB: facts.memoryMiB,
        memoryLeftMiB: facts.memoryMiB - facts.memoryUsedMiB - neededMiB,
      };
    });
}
