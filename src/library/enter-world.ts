import { realClock, Redaction, type Clock } from "../lib/index.ts";
import {
  eventStream,
  openRehearsal as startRehearsal,
  runName,
  type OpenRehearsal,
} from "../operations/index.ts";
import type { RunEvent, Tell } from "../plan/index.ts";
import type { Fleet as Model } from "../spec/index.ts";
import { realWorld, type World } from "../world/index.ts";
import type { Fleet } from "./fleet.ts";

/** What an operation may touch, and who is told. */
export interface Outside {
  /** Variables that secrets and programs are looked up in, `process.env` as a rule. Left out: none. */
  env?: Record<string, string | undefined>;
  /** Work there, and touch nothing real. */
  rehearsal?: Rehearsal;
  /** For passphrases; left out where nobody can answer. */
  ask?(question: string): Promise<string>;
  /** When it is aborted, nothing new is started and what runs is ended safely. */
  stop?: AbortSignal;
  /** Told everything that happens, as it happens. */
  tell?(event: RunEvent): void;
}

/** A simulated datacenter for a fleet, which stays from one operation to the next until it is closed. */
export class Rehearsal implements AsyncDisposable {
  readonly #site: OpenRehearsal;
  #isClosed = false;

  /** @internal */
  constructor(site: OpenRehearsal) {
    this.#site = site;
  }

  /** @internal */
  get site(): OpenRehearsal {
    return this.#site;
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.#site.close();
    this.#isClosed = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Builds the hosts of a fleet in memory, to try operations on. Time passes there as fast as this machine can. */
export async function openRehearsal(fleet: Fleet): Promise<Rehearsal> {
  return new Rehearsal(await startRehearsal({ fleet: fleet.model }));
}

/** Runs one operation in the world that was asked for, and closes what it opened. */
export async function inWorld<T>(
  fleet: Fleet,
  outside: Outside,
  work: (fleet: Model, world: World) => Promise<T>,
): Promise<T> {
  const { model } = fleet;
  const { rehearsal, stop = new AbortController().signal, env = {}, ask } = outside;
  if (rehearsal) {
    const { site } = rehearsal;
    return work(site.adapt(model), site.world(stop, streamFor(site.time.clock, site.redaction, outside)));
  }
  const redaction = new Redaction();
  const tell = streamFor(realClock, redaction, outside);
  const world = realWorld({ file: model.file, fleet: model, env, stop, tell, ask, redaction });
  const close = closeAfterwards(world);
  try {
    return await work(model, world);
  } finally {
    await close();
  }
}

const streamFor = (clock: Clock, redaction: Redaction, { tell }: Outside): Tell =>
  eventStream({ clock, redaction }, runName(clock.now()), tell ? [(event) => tell(event)] : []);

/** Remembers what a world opens: a program that goes on must not keep connections of a run that is over. */
function closeAfterwards(world: World): () => Promise<void> {
  const opened = new Set<Promise<{ close(): void }>>();
  const remember = <T extends { close(): void }>(client: Promise<T>): Promise<T> => {
    opened.add(client);
    return client;
  };
  const { openProxmox, openLibvirt } = world;
  world.openProxmox = (host) => remember(openProxmox(host));
  world.openLibvirt = (host) => remember(openLibvirt(host));
  return async () => {
    for (const client of await Promise.allSettled(opened))
      if (client.status === "fulfilled") client.value.close();
  };
}
