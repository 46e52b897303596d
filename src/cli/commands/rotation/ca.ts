import { parseSelection, rotateCa, selectClusters, type PlannedRotation } from "../../../operations/index.ts";
import { realClock } from "../../../lib/index.ts";
import type { Cluster, Fleet } from "../../../spec/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { noTerminal, rotateOneCluster } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { openKeptStream } from "../../output/run-stream.ts";
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

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());

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
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, request.fleet, stream.tell);
    const confirm = (planned: PlannedRotation): Promise<boolean> => {
      if (!options.json) stream.view.say(renderRotation(shown(planned), shell.out));
      return agree(shell, options);
    };
    const { exitCode, outputs } = await rotateCa({ ...request, confirm }, world);
    return { exitCode, isOpen: outputs["finish"] !== undefined };
  } finally {
    stream.close();
  }
}

async function agree(shell: Shell, options: CommonOptions): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("a CA is exchanged on every node of a running cluster");
  return isYes(await shell.ask("Go on? [y/N] "));
}

const shown = ({ cluster, title, warnings, finish, plan }: PlannedRotation) => ({
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
