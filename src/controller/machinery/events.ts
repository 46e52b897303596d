import { createHash } from "node:crypto";
import type { KubeClient, KubeObject } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";

export interface EventRecorderOptions {
  client: Pick<KubeClient, "create" | "patch">;
  clock: Clock;
  /** Who tells: `slipway-controller`. */
  source: string;
  /** Which process. */
  instance: string;
}

export interface EventText {
  type: "Normal" | "Warning";
  /** One word in CamelCase. */
  reason: string;
  message: string;
}

/** Tells of an object in the Events that `kubectl describe` shows. */
export type RecordEvent = (object: KubeObject, event: EventText) => Promise<void>;

interface Told {
  name: string;
  count: number;
  firstAt: string;
}

/** As in other controllers: so many at once for each object, then one in five minutes. */
const burst = 25;
const refillMs = 5 * 60_000;
const mostRemembered = 4_096;
const mostLength = 1_024;

/**
 * What is told again is counted in one Event, and an object that has too much to tell is cut short: Events must not fill the store.
 * An Event that cannot be written is no reason to fail.
 */
export function recordEvents({ client, clock, source, instance }: EventRecorderOptions): RecordEvent {
  const told = new Map<string, Told>();
  const budgets = new Map<string, { left: number; atMs: number }>();

  const mayTell = (uid: string): boolean => {
    const before = budgets.get(uid) ?? { left: burst, atMs: clock.now() };
    const left = Math.min(burst, before.left + (clock.now() - before.atMs) / refillMs);
    budgets.set(uid, { left: left >= 1 ? left - 1 : left, atMs: clock.now() });
    forgetOldest(budgets);
    return left >= 1;
  };

  return async (object, { type, reason, message }) => {
    const { name, namespace = "default", uid = "", resourceVersion } = object.metadata;
    if (!mayTell(uid)) return;
    const text = message.slice(0, mostLength);
    const key = createHash("sha256").update([uid, type, reason, text].join("\n")).digest("hex").slice(0, 16);
    const now = new Date(clock.now()).toISOString().replace(/\.\d+/, "");
    const before = told.get(key);
    const count = (before?.count ?? 0) + 1;
    const event = { name: `${name}.${key}`, count, firstAt: before?.firstAt ?? now };
    told.delete(key);
    told.set(key, event);
    forgetOldest(told);
    const ref = { apiVersion: "v1", kind: "Event", name: event.name, namespace };
    const counted = { count, lastTimestamp: now };
    const manifest = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: event.name, namespace },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        namespace,
        uid,
        resourceVersion,
      },
      ...{ type, reason, message: text, firstTimestamp: event.firstAt, ...counted },
      source: { component: source },
      reportingComponent: source,
      reportingInstance: instance,
    };
    try {
      if (before) await client.patch(ref, counted);
      else await client.create(manifest);
    } catch (thrown) {
      // The server forgets Events after an hour; one of a controller before us has the same name.
      const code = thrown instanceof SlipwayError ? thrown.code : "";
      if (code === "KUBE_NOT_FOUND") await client.create(manifest).catch(() => undefined);
      if (code === "KUBE_ALREADY_EXISTS") await client.patch(ref, counted).catch(() => undefined);
    }
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= mostRemembered) return;
    map.delete(key);
  }
}
