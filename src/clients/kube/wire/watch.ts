import type http from "node:http";
import { SlipwayError } from "../../../errors/index.ts";
import { backoffMs, BodyTooLargeError, type Clock } from "../../../lib/index.ts";
import { streamKube, type Wire } from "./call.ts";
import { answerTooLarge, answerUnreadable } from "../errors.ts";
import type { KubeObject } from "../kinds/object.ts";
import { callRefused } from "./refusals.ts";
import { isStatus } from "../kinds/status.ts";

export interface WatchEvent<T extends KubeObject = KubeObject> {
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: T;
}

/** What is worth knowing of a watch beside its events. */
export interface WatchReaders<T extends KubeObject = KubeObject> {
  /** What is kept and told of an object, its metadata at least; all of it if not given. */
  trim?: ((object: T) => T) | undefined;
  /** All there is has been told. */
  onListed?: (() => void) | undefined;
  /** The server answers again, or for the first time. */
  onOpen?: (() => void) | undefined;
  /** It does not, and is asked again in a moment. */
  onTrouble?: ((error: SlipwayError) => void) | undefined;
}

/** What a watch needs of its surroundings. */
export interface WatchSource<T extends KubeObject> extends WatchReaders<T> {
  wire: Wire;
  clock: Clock;
  what: string;
  path: string;
  query: Record<string, string | undefined>;
  list(): Promise<{ items: T[]; resourceVersion: string }>;
  signal: AbortSignal;
}

/** After this the server ends a quiet watch by itself, so that a dead connection never waits longer. */
const streamSeconds = 240;
const quietEndMs = 10_000;
/** etcd takes no object of more than a few mebibytes. */
const mostLineLength = 16 * 1024 ** 2;

/**
 * What exists, as ADDED, then every change. Cut connections are taken up where they ended; when the server no longer
 * knows that place, the list is read again and only the differences are told. Ends by the signal, or by a refusal.
 */
export async function* watchKube<T extends KubeObject>(
  source: WatchSource<T>,
): AsyncGenerator<WatchEvent<T>> {
  const { trim = (object: T) => object } = source;
  const known = new Map<string, T>();
  let version: string | undefined;
  let failures = 0;
  while (true) {
    source.signal.throwIfAborted();
    const beganMs = source.clock.now();
    try {
      if (version === undefined) {
        const { items, resourceVersion } = await source.list();
        yield* differences(known, items.map(trim));
        version = resourceVersion;
        source.onListed?.();
      }
      for await (const { type, object: whole } of readStream<T>(source, version)) {
        failures = 0;
        version = whole.metadata.resourceVersion ?? version;
        if (type === "BOOKMARK") continue;
        const object = trim(whole);
        if (isTold(known, type, object)) continue;
        if (type === "DELETED") known.delete(keyOf(object));
        else known.set(keyOf(object), object);
        yield { type, object };
      }
      // A server that ends every stream at once must not be asked in a tight circle; a quiet end is usual.
      failures = source.clock.now() - beganMs > quietEndMs ? 1 : failures + 1;
      await source.clock.sleep(backoffMs(failures), source.signal);
    } catch (error) {
      source.signal.throwIfAborted();
      if (!(error instanceof SlipwayError) || !error.transient) throw error;
      if (error.code === "KUBE_EXPIRED") version = undefined;
      else source.onTrouble?.(error);
      failures += 1;
      await source.clock.sleep(backoffMs(failures), source.signal);
    }
  }
}

/** After a cut the server may begin a little before the place we were at. */
const isTold = <T extends KubeObject>(known: Map<string, T>, type: WatchEvent["type"], object: T): boolean =>
  type === "DELETED"
    ? !known.has(keyOf(object))
    : known.get(keyOf(object))?.metadata.resourceVersion === object.metadata.resourceVersion;

function* differences<T extends KubeObject>(known: Map<string, T>, items: T[]): Generator<WatchEvent<T>> {
  const gone = new Map(known);
  for (const object of items) {
    const before = known.get(keyOf(object));
    gone.delete(keyOf(object));
    known.set(keyOf(object), object);
    if (!before) yield { type: "ADDED", object };
    else if (before.metadata.resourceVersion !== object.metadata.resourceVersion)
      yield { type: "MODIFIED", object };
  }
  for (const [key, object] of gone) {
    known.delete(key);
    yield { type: "DELETED", object };
  }
}

const keyOf = ({ metadata }: KubeObject): string =>
  `${metadata.namespace ?? ""}/${metadata.name}/${metadata.uid ?? ""}`;

interface StreamEvent<T> {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: T;
}

async function* readStream<T extends KubeObject>(
  source: WatchSource<T>,
  version: string,
): AsyncGenerator<StreamEvent<T>> {
  const query = {
    ...source.query,
    watch: "true",
    resourceVersion: version,
    allowWatchBookmarks: "true",
    timeoutSeconds: String(streamSeconds),
  };
  const { wire, what, path, signal } = source;
  const response = await streamKube(wire, { what, path, query, signal });
  source.onOpen?.();
  // The server ends the stream after the time it was asked for; one that is cut off cannot.
  const cancel = wire.clock.after((streamSeconds + 15) * 1000, () => response.destroy());
  try {
    for await (const line of linesOf(response)) {
      const event = eventIn<T>(line, { what, server: wire.server });
      if (event.type !== "ERROR") yield event;
      else {
        const status = isStatus(event.object) ? event.object : undefined;
        throw callRefused({ what, server: wire.server }, status?.code ?? 500, status);
      }
    }
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw answerTooLarge({ what, server: wire.server }, error);
    throw error;
  } finally {
    cancel();
    response.destroy();
  }
}

function eventIn<T>(line: string, tried: { what: string; server: string }) {
  try {
    return JSON.parse(line) as StreamEvent<T> | { type: "ERROR"; object: unknown };
  } catch (error) {
    throw answerUnreadable(tried, error);
  }
}

/** Whole lines only; a cut in the middle of one just ends the stream. */
async function* linesOf(response: http.IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  response.setEncoding("utf8");
  try {
    for await (const part of response) {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > mostLineLength) throw new BodyTooLargeError(mostLineLength);
      yield* lines.filter((line) => line !== "");
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
  }
}
