import { compareRemoval, planEvent, type Graph, type Plan, type Survey } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, readContext, type Parts } from "./assemble.ts";
import { tellEnding, type Ending } from "./ending.ts";
import { findGoing, imagesOfOthers, isGoing, type Going } from "./going.ts";
import { guardedRun, runWithGrace } from "./guarded-run.ts";
import { keptDiskCount, keptWords, leftWords } from "./kept-words.ts";
import { proveGone } from "./prove-gone.ts";
import { inReverse, unregisteredFirst } from "./relations.ts";
import { protection } from "./refusals.ts";
import { notRemovable } from "./removal-errors.ts";
import { hostsSilent, notConfirmed } from "./run-errors.ts";
import type { Selection } from "./select.ts";

export interface DestroyRequest {
  fleet: Fleet;
  selection: Selection;
  /** The user's own word that data disks may go too. */
  isDataLossAccepted: boolean;
  confirm(removal: Removal): Promise<boolean>;
}

/** What taking clusters away would do. */
export interface Removal {
  going: Going;
  survey: Survey;
  plan: Plan;
  /** Data disks that are there afterwards. */
  keptDisks: number;
}

/** Take clusters away: everything on the hosts that carries their mark, and nothing else. */
export async function destroyFleet(request: DestroyRequest, outside: World): Promise<Ending> {
  const { fleet } = request;
  const going = await findGoing(request, outside);
  return guardedRun({ command: "down", fleet, clusters: going.names }, outside, async (guarded) => {
    const { startedAt, world } = guarded;
    const parts = assemble(world);
    const removal = await planRemoval(request, going, parts, world); // up to here nothing has been changed
    const { plan } = removal;
    world.tell(planEvent(plan));
    if (plan.changes.length === 0)
      return tellEnding(world, { outcome: "unchanged", startedAt, kept: leftWords(removal) });
    await guarded.claim();
    if (!(await request.confirm(removal)))
      throw notConfirmed("the question was not answered with the cluster's name");
    const result = await runWithGrace(plan, parts, world);
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    if (result.failed.length === 0 && !isStopped) await proveGone(removal, request, parts, world);
    return tellEnding(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: keptWords(removal),
    });
  });
}

/** What taking these clusters away would remove. Changes nothing. */
export async function previewRemoval(
  request: Omit<DestroyRequest, "confirm">,
  world: World,
): Promise<Removal> {
  return planRemoval(request, await findGoing(request, world), assemble(world), world);
}

/** Everything of these clusters that exists, as removals. */
async function planRemoval(
  request: Omit<DestroyRequest, "confirm">,
  going: Going,
  parts: Parts,
  world: World,
): Promise<Removal> {
  const ctx = readContext(world);
  const survey = await parts.provider.survey(ctx, going.hosts);
  if (survey.silent.length > 0) throw hostsSilent(`take down ${going.names.join(", ")}`, survey.silent, true);
  await refuse(request, going, survey, parts, world);
  const plan = await compareRemoval(leaving(request, going, survey, parts, world), parts.kinds, ctx);
  return { going, survey, plan, keptDisks: keptDiskCount(going, survey, request.isDataLossAccepted) };
}

/** Machines and what they were made from, in the order in which they can go. */
function leaving(
  request: Omit<DestroyRequest, "confirm">,
  going: Going,
  survey: Survey,
  { provider }: Parts,
  world: World,
): Graph {
  const { fleet, isDataLossAccepted } = request;
  const staying = fleet.clusters.filter((cluster) => !going.names.includes(cluster.name));
  const graph = provider.describeLeftovers(
    survey,
    isGoing(going),
    imagesOfOthers(request, going, survey, provider),
    {
      losesData: isDataLossAccepted,
      clusters: going.names,
      areLeaving: true,
    },
  );
  const templates = provider.describeOldTemplates(
    readContext(world),
    survey,
    { hosts: fleet.hosts, clusters: staying },
    graph,
  );
  const made = templates.map((node) => node.id);
  const all = [
    ...graph.map((node) => (node.group === "images" ? { ...node, after: [...node.after, ...made] } : node)),
    ...templates,
  ];
  return inReverse(unregisteredFirst(all, going.clusters, fleet), going.clusters);
}

/** All that forbids it is found before anything is touched. */
async function refuse(
  request: Omit<DestroyRequest, "confirm">,
  going: Going,
  survey: Survey,
  { provider }: Parts,
  world: World,
): Promise<void> {
  const machines = survey.machines.filter(isGoing(going));
  const guarded = machines.flatMap((machine) => {
    const cluster = going.clusters.find((each) => each.name === machine.cluster);
    return protection(machine, cluster) ?? [];
  });
  const held = request.isDataLossAccepted ? [] : await provider.hindrances(readContext(world), machines);
  const reasons = [...guarded, ...held];
  const [first] = reasons;
  if (first) throw notRemovable(going.names, reasons.length, first);
  const losing = machines.map((machine) => ({ ...machine, keptDisks: [] }));
  const those = request.isDataLossAccepted ? losing : machines;
  await provider.demandRights(readContext(world), those, "removal");
}
