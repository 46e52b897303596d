import type { KubeClient, KubeObject, KubeQuery, WatchEvent } from "../../clients/kube/index.ts";
import { describeCause } from "../../errors/index.ts";
import { backoffMs, type Clock } from "../../lib/index.ts";

/** What an API server holds of one kind, kept up to date by one watch. */
export interface Informer<T extends KubeObject> {
  get(name: string): T | undefined;
  list(): T[];
  /** Resolves when all there is has been seen once. */
  synced: Promise<void>;
}

export interface InformerOptions<T extends KubeObject> {
  client: Pick<KubeClient, "watch">;
  query: KubeQuery;
  clock: Clock;
  signal: AbortSignal;
  /** What is kept of an object, its metadata at least; all of it if not given. */
  trim?(object: T): T;
  onChange(event: WatchEvent<T>): void;
  /** The server does not answer or refuses the watch: it is tried again, but somebody should know. */
  onTrouble(why: string): void;
  onOpen?(): void;
}

/**
 * Lists, watches, takes up a cut stream where it ended, and reads the list again when the server no longer knows that place; what
 * is missing then is told as deleted. Never gives up before the signal.
 */
export function startInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const objects = new Map<string, T>();
  let onSynced = (): void => undefined;
  const synced = new Promise<void>((resolve) => {
    onSynced = resolve;
  });
  const tell = (event: WatchEvent<T>): void => {
    const { name } = event.object.metadata;
    if (event.type === "DELETED") objects.delete(name);
    else objects.set(name, event.object);
    options.onChange(event);
  };
  void follow(options, objects, tell, () => onSynced());
  return {
    get: (name) => objects.get(name),
    list: () => [...objects.values()],
    synced,
  };
}

async function follow<T extends KubeObject>(
  { client, query, clock, signal, trim, onTrouble, onOpen }: InformerOptions<T>,
  objects: Map<string, T>,
  tell: (event: WatchEvent<T>) => void,
  onSynced: () => void,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    // A watch that begins anew tells everything as added: what was there before is only told when it differs.
    const unseen = new Set(objects.keys());
    let isListed = false;
    const onListed = (): void => {
      failures = 1;
      isListed = true;
      for (const name of unseen) {
        const object = objects.get(name);
        if (object) tell({ type: "DELETED", object });
      }
      unseen.clear();
      onSynced();
    };
    const readers = { trim, onListed, onOpen, onTrouble: (error: Error) => onTrouble(describeCause(error)) };
    try {
      for await (const event of client.watch<T>(query, signal, readers)) {
        const { name, resourceVersion } = event.object.metadata;
        const before = objects.get(name);
        if (!isListed) unseen.delete(name);
        const isKnown = before?.metadata.resourceVersion === resourceVersion && event.type !== "DELETED";
        if (!isKnown) tell({ ...event, type: before && event.type === "ADDED" ? "MODIFIED" : event.type });
      }
    } catch (thrown) {
      if (signal.aborted) return;
      onTrouble(describeCause(thrown));
      await clock.sleep(backoffMs(failures, 1_000, 60_000), signal).catch(() => undefined);
    }
  }
}
