import { Destinations, machinesToReturn, type Move, type MoveOutlook } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { demandMovable, outlooksOf, type MoveRequest } from "./plan-moves.ts";
import { runMoves, type MoveVerb } from "./run-moves.ts";
import type { RunReport } from "../run/run-report.ts";

/** Bring machines back to a host that was away, as far as the file would put them there. */
export const returnToHost = (request: MoveRequest, world: World): Promise<RunReport> =>
  runMoves(homecoming, request, world);

const homecoming: MoveVerb = {
  verb: "return",
  async choose(known) {
    const { host, fleet, survey } = known;
    const coming = fleet.clusters.flatMap((cluster) => machinesToReturn(cluster, host, fleet.hosts, survey));
    const outlooks = await outlooksOf(known, coming, [host]);
    const destinations = new Destinations(survey);
    const { fitting, unfit } = sorted(outlooks, (outlook) => {
      const why = destinations.against(host, outlook);
      if (why === undefined) {
        destinations.takeSpace(host, outlook);
        destinations.capacities.take(host, outlook.machine);
      }
      return why;
    });
    demandMovable(known, fitting);
    return {
      moves: fitting.map((outlook): Move => ({ outlook, to: host })),
      staying: [],
      warnings: unfit.map(
        ({ outlook, why }) => `${outlook.machine.node} stays where it is: ${host.name} ${why}`,
      ),
    };
  },
};

function sorted(outlooks: MoveOutlook[], against: (outlook: MoveOutlook) => string | undefined) {
  const judged = outlooks.map((outlook) => ({ outlook, why: against(outlook) }));
  return {
    fitting: judged.flatMap(({ outlook, why }) => (why === undefined ? [outlook] : [])),
    unfit: judged.flatMap(({ outlook, why }) => (why === undefined ? [] : [{ outlook, why }])),
  };
}
