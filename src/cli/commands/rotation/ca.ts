import { parseSelection, rotateCa, selectClusters, type PlannedRotation } from "../../../operations/index.ts";
import type { Cluster, Fleet } from "../../../spec/index.ts";
import { rotateOneCluster } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { isYes, mayGoOn } from "../../input/may-go-on.ts";
import type { CommonOptions } from "../../options.ts";
import { keptRun } from "../../open-world.ts";
import type { Shell } from "../../shell.ts";
import { renderRotation } from "../../views/index.ts";

interface RotateOptions extends CommonOptions {
  finish?: boolean;
}

/** Goes as far as the old one can stay, then asks whether it may go; without an answer it stays. */
export async function run(shell: Shell, options: RotateOptions, [ca = "", name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const cluster = onlyCluster(fleet, name);
  const first = await rotateOnce(shell, options, { fleet, cluster, ca, finishes: options.finish ?? false });
  if (first.exitCode !== 0 || !first.isOpen || options.yes || options.json || !shell.canAsk)
    return first.exitCode;
  const answer = await shell.ask("Has everybody new files, and may the old CA be dropped now? [y/N] ");
  if (!isYes(answer)) return 0;
  return (await rotateOnce(shell, { ...options, yes: true }, { fleet, cluster, ca, finishes: true }))
    .exitCode;
}

/** A rotation is a matter of one cluster; where the file has one only, it needs no name. */
export function onlyCluster(fleet: Fleet, name: string | undefined): Cluster {
  const [cluster, ...others] = selectClusters(fleet, parseSelection(name));
  if (!cluster || others.length > 0) throw rotateOneCluster(fleet.clusters.map((each) => each.name));
  return cluster;
}

async function rotateOnce(
  shell: Shell,
  options: CommonOptions,
  request: { fleet: Fleet; cluster: Cluster; ca: string; finishes: boolean },
): Promise<{ exitCode: number; isOpen: boolean }> {
  const { exitCode, outputs } = await keptRun(shell, options, request.fleet, ({ world, say }) => {
    const confirm = (planned: PlannedRotation): Promise<boolean> => {
      say(renderRotation(shown(planned), shell.out));
      return mayGoOn(shell, options, "a CA is exchanged on every node of a running cluster");
    };
    return rotateCa({ ...request, confirm }, world);
  });
  return { exitCode, isOpen: outputs["finish"] !== undefined };
}

/** As the screen wants it. */
export const shown = ({ cluster, title, warnings, finish, plan }: PlannedRotation) => ({
  cluster,
  title,
  warnings,
  finish,
  steps: plan.changes.map(({ node }) => ({
    stage: String(node.facts?.["stage"] ?? ""),
    node: node.node,
    usualMs: node.usualMs ?? 0,
  })),
});
