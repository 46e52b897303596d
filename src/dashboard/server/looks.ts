import type { ServerResponse } from "node:http";
import { errorData } from "../../errors/index.ts";
import { sources, views, type Diagram, type Source, type View } from "../../exports/graph/index.ts";
import { Semaphore } from "../../lib/index.ts";
import {
  capacityOf,
  diagnoseFleet,
  eventStream,
  graphFleet,
  listBackups,
  runName,
  selectClusters,
  surveyStatus,
  verifyFleet,
} from "../../operations/index.ts";
import type { World } from "../../world/index.ts";
import { fieldWrong } from "../errors.ts";
import type { BackupsAnswer, FleetAnswer, HealthQuestion, Session } from "../protocol.ts";
import { openEventSource } from "./event-source.ts";
import type { DashboardSite, OpenFleet } from "./site.ts";

/** Questions that change nothing. */
export interface Looks {
  session(): Promise<Session>;
  fleet(): Promise<FleetAnswer>;
  backups(cluster: string): Promise<BackupsAnswer>;
  topology(query: URLSearchParams): Promise<Diagram>;
  /** Answers with the events of the look as they happen. */
  health(verb: "verify" | "doctor", question: HealthQuestion, response: ServerResponse): Promise<void>;
}

/** Hosts and nodes are asked by this many tabs at a time; others wait. */
const mostLooks = 4;
const probeWaitMs = 60_000;

export function looksOf(site: DashboardSite, openFleet: () => Promise<OpenFleet>): Looks {
  const { redaction, session } = site;
  const looking = new Semaphore(mostLooks);
  let names: string[] = [];
  let asking: Promise<FleetAnswer> | undefined;
  const askFleet = async (): Promise<FleetAnswer> => {
    const { fleet, world } = await openFleet();
    const at = new Date(world.clock.now()).toISOString();
    const { survey, clusters } = await surveyStatus({ fleet, selection: {} }, world);
    return redaction.redact({ at, clusters, capacity: capacityOf(fleet, survey) });
  };
  return {
    async session() {
      // A file that is being edited may be wrong for a moment; what was in it is still known.
      const found = await openFleet().catch(() => undefined);
      names = found?.fleet.clusters.map(({ name }) => name) ?? names;
      return { ...session, clusters: names };
    },
    // Many tabs, one look.
    fleet: () => (asking ??= askFleet().finally(() => void (asking = undefined))),
    async backups(cluster) {
      const { fleet, world } = await openFleet();
      const [found] = selectClusters(fleet, { cluster });
      const hasPlace = found?.backups !== undefined;
      const [listed] = hasPlace
        ? await looking.use(() => listBackups({ fleet, selection: { cluster } }, world))
        : [];
      return redaction.redact({ cluster, backups: [], foreign: [], isOverdue: false, ...listed, hasPlace });
    },
    async topology(query) {
      const request = readView(query);
      const { fleet, world } = await openFleet();
      return redaction.redact(await looking.use(() => graphFleet({ fleet, ...request }, world)));
    },
    async health(verb, { cluster }, response) {
      const { fleet, world } = await openFleet();
      selectClusters(fleet, { cluster });
      const probes = session.canChange ? { waitMs: probeWaitMs } : undefined;
      await streamed(site, world, response, (told) =>
        looking.use(
          () =>
            verb === "verify"
              ? verifyFleet({ fleet, clusters: [cluster], probes }, told)
              : diagnoseFleet({ fleet, selection: { cluster } }, told),
          told.stop,
        ),
      );
    },
  };
}

/** The events of some work as an answer. Nobody works on for a reader that has gone. */
async function streamed(
  { clock, redaction }: DashboardSite,
  world: World,
  response: ServerResponse,
  work: (told: World) => Promise<unknown>,
): Promise<void> {
  const source = openEventSource(response, clock);
  const tell = eventStream({ clock: world.clock, redaction }, runName(world.clock.now()), [
    (event) => void source.send([{ seq: event.seq, text: JSON.stringify(event) }]),
  ]);
  try {
    await work({ ...world, tell, stop: AbortSignal.any([world.stop, source.gone]) });
    source.end({ isCut: false });
  } catch (thrown) {
    source.end({ isCut: true, error: redaction.redact(errorData(thrown)) });
  }
}

function readView(query: URLSearchParams): { selection: { cluster?: string }; from: Source; view: View } {
  const cluster = query.get("cluster") ?? undefined;
  return {
    selection: cluster === undefined ? {} : { cluster },
    from: oneOf(sources, "from", query.get("from") ?? "file"),
    view: oneOf(views, "view", query.get("view") ?? "topology"),
  };
}

function oneOf<Word extends string>(words: readonly Word[], field: string, given: string): Word {
  const found = words.find((word) => word === given);
  if (found === undefined) throw fieldWrong(field, words.join(" or "));
  return found;
}
