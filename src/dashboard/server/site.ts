import type { Clock, Redaction } from "../../lib/index.ts";
import type { Tell } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { ObjectsAnswer, Session } from "../protocol.ts";
import type { PageParts } from "./page.ts";

/** What a dashboard shows and works on. */
export interface DashboardSite {
  session: Omit<Session, "clusters">;
  /** Where journals, locks and secrets are kept. */
  folder: string;
  redaction: Redaction;
  /** Reads the cluster file as it is now; throws where it is wrong. */
  loadFleet(): Promise<Fleet>;
  openWorld(fleet: Fleet, stop: AbortSignal, tell: Tell): World;
  /** Ends whatever is under way. */
  stop: AbortSignal;
  /** The wall's: browsers, and the writers of journals, are other processes. */
  clock: Clock;
  page: PageParts;
}

/** The clusters of a controller, which are looked at and nothing else. */
export interface ManagedSite extends Pick<DashboardSite, "session" | "redaction" | "clock" | "page"> {
  readObjects(): Promise<Omit<ObjectsAnswer, "at">>;
}

/** The fleet of the file, and the outside to ask about it. */
export interface OpenFleet {
  fleet: Fleet;
  world: World;
}

/** Reads the file for every question, and keeps connections open while it says the same. */
export function fleetOf(site: DashboardSite): () => Promise<OpenFleet> {
  let last: (OpenFleet & { text: string }) | undefined;
  return async () => {
    const fleet = await site.loadFleet();
    const text = JSON.stringify(fleet);
    if (last?.text !== text) last = { text, fleet, world: site.openWorld(fleet, site.stop, () => {}) };
    return last;
  };
}
