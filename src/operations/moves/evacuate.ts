import { isOnHost, placeLeaving, type OwnedMachine, type Stuck } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { notEmpty, movesBlocked } from "./errors.ts";
import {
  demandMovable,
  doingOf,
  isOurs,
  outlooksOf,
  strangersOn,
  type MoveRequest,
  type MoveFacts,
} from "./plan-moves.ts";
import { runMoves, type MoveVerb } from "./run-moves.ts";
import { readContext } from "../planning/assemble.ts";
import type { RunReport } from "../run/run-report.ts";

/** Move all machines of the file off one host, so that it can be switched off. Those of others are not touched. */
export const evacuateHost = (request: MoveRequest, world: World): Promise<RunReport> =>
  runMoves(evacuation, request, world);

const evacuation: MoveVerb = {
  verb: "evacuate",
  async choose(known) {
    const { host, fleet, survey, means, world } = known;
    const others = fleet.hosts.filter(
      (each) => each.provider === host.provider && survey.hosts.some((facts) => facts.host === each.name),
    );
    const outlooks = await outlooksOf(known, ownOn(known), others);
    demandMovable(known, outlooks);
    const { moves, stuck } = placeLeaving(outlooks, host, { ...fleet, survey });
    demandPlaces(known, stuck);
    const staying = [
      ...strangersOn(known),
      ...(await means.staying(readContext(world, survey), host, survey)),
    ];
    return { moves, staying, warnings: [] };
  },
  prove(known) {
    const left = ownOn(known).map(({ cluster, node }) => `${cluster}/${node}`);
    if (left.length > 0) throw notEmpty({ host: known.host.name, left });
  },
};

const ownOn = (known: MoveFacts): OwnedMachine[] =>
  known.survey.machines
    .filter((machine) => isOnHost(machine, known.host) && isOurs(known, machine))
    .toSorted((a, b) => a.node.localeCompare(b.node));

/** A machine that fits nowhere holds all of them: a host half empty can as little be switched off as a full one. */
function demandPlaces(known: MoveFacts, stuck: Stuck[]): void {
  const [first] = stuck;
  if (!first) return;
  const { cluster } = first.outlook.machine;
  throw movesBlocked({
    doing: doingOf(known),
    reasons: stuck.map(({ outlook: { machine }, reasons }) =>
      reasons.length === 0
        ? `${machine.node} has nowhere to go: "on" of ${machine.cluster} names no other host`
        : `${machine.node} has nowhere to go: ${reasons.map(({ host, why }) => `${host} ${why}`).join(", ")}`,
    ),
    next:
      first.reasons.length === 0
        ? `Add another host to "on" of ${cluster}, or shut its nodes down with the host`
        : `Give one of these hosts what it lacks, or add another to "on" of ${cluster}`,
  });
}
