import { factsOf } from "../../operations/index.ts";
import { withTransitionTimes, writeStatus, type Requeue } from "../machinery/index.ts";
import {
  apiVersion,
  type ControllerCondition,
  type RolloutPhase,
  type SlipwayCluster,
  type SlipwayRollout,
  type SlipwayRolloutStatus,
} from "../objects/index.ts";
import { clusterIn, fieldManager, type Controller } from "../reconcile/index.ts";
import { ringsOf, standingOf, versionsFor, type Ring, type Standing } from "./rings.ts";

const activeMs = 15_000;
const restMs = 10 * 60_000;

interface Member {
  object: SlipwayCluster;
  standing: Standing;
  edits: { path: string[]; value: string }[];
}

interface SeenRing extends Ring {
  seen: Member[];
}

/** Bring a change over many clusters, ring by ring: the next begins when the one before has stayed healthy for long enough. */
export async function reconcileRollout(name: string, controller: Controller): Promise<Requeue | undefined> {
  const rollout = controller.rollouts.get(name);
  if (!rollout) return undefined;
  const rings = await look(rollout, controller);
  const current = rings.find(({ seen }) => seen.some(({ standing }) => standing !== "updated"));
  const failed = rings.flatMap(({ seen }) => seen).filter(({ standing }) => standing === "failed");
  const soaking = current ? soakOf(rollout, rings, current, controller) : undefined;
  const phase = phaseOf(rollout, { current, failed, soaking });
  if (phase === "RollingOut" && current) await advance(rollout, current, controller);
  await tellRollout(rollout, { rings, current, failed, phase, soaking }, controller);
  const isActive = phase === "RollingOut" || phase === "Soaking" || phase === "Stopped";
  return { afterMs: controller.queue.spread(isActive ? activeMs : restMs), priority: "resync" };
}

/** Every cluster of the roll-out as its object tells it now. */
async function look({ spec }: SlipwayRollout, controller: Controller): Promise<SeenRing[]> {
  const wanted = Object.entries(spec.selector.matchLabels);
  const members = controller.clusters
    .list()
    .filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined &&
        wanted.every(([key, value]) => metadata.labels?.[key] === value),
    );
  return Promise.all(
    ringsOf(spec.rings, members).map(async (ring) => ({
      ...ring,
      seen: await Promise.all(ring.members.map((object) => lookAt(object, spec.change, controller))),
    })),
  );
}

async function lookAt(
  object: SlipwayCluster,
  change: SlipwayRollout["spec"]["change"],
  { groups }: Controller,
): Promise<Member> {
  const group = await groups.open(object.spec.hosts).catch(() => undefined);
  const cluster = group && clusterIn(group, object);
  // What cannot be read is told in its own status, and counts as failed.
  if (!cluster || "code" in cluster) return { object, standing: "failed", edits: [] };
  const edits = versionsFor(change, factsOf(cluster).upgrades ?? []);
  return { object, edits, standing: standingOf(object, edits.length === 0) };
}

/** Until when the ring before the current one has to stay whole; undefined: nothing has to be waited for. */
function soakOf(
  { spec, status }: SlipwayRollout,
  rings: SeenRing[],
  current: SeenRing,
  { world }: Controller,
): { untilMs: number; since: string; ring: string } | undefined {
  const before = rings[rings.indexOf(current) - 1];
  const isBegun = current.seen.some(({ standing }) => standing !== "untouched");
  if (!before || isBegun || before.members.length === 0) return undefined;
  const isSame = status?.ring === before.name && status.soakingSince !== undefined;
  const since = isSame ? (status.soakingSince ?? "") : isoTime(world.clock.now());
  const untilMs = Date.parse(since) + durationMs(spec.soak ?? "0s");
  return world.clock.now() >= untilMs ? undefined : { since, ring: before.name, untilMs };
}

const isoTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, "");

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };
const durationMs = (text: string): number => Number.parseInt(text, 10) * (units[text.at(-1) ?? ""] ?? 0);

function phaseOf(
  { spec }: SlipwayRollout,
  found: { current: SeenRing | undefined; failed: Member[]; soaking: ReturnType<typeof soakOf> },
): RolloutPhase {
  if (found.failed.length > 0) return "Stopped";
  if (!found.current) return "Done";
  if (spec.paused === true) return "Paused";
  return found.soaking ? "Soaking" : "RollingOut";
}

/** Writes the versions into clusters of the ring, so many at a time. From there each goes its own way, with its own policy. */
async function advance({ spec }: SlipwayRollout, { seen }: SeenRing, { world }: Controller): Promise<void> {
  const changing = seen.filter(({ standing }) => standing === "changing").length;
  const free = (spec.maxInProgress ?? seen.length) - changing;
  const next = seen.filter(({ standing }) => standing === "untouched").slice(0, Math.max(0, free));
  for (const { object, edits } of next) {
    const { name, namespace } = object.metadata;
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    const cluster = edits.reduce((fields, { path, value }) => withField(fields, path, value), {});
    await world.client.apply(
      { apiVersion, kind: "SlipwayCluster", metadata, spec: { cluster } },
      { fieldManager: `${fieldManager}-rollout`, isForced: true },
    );
  }
}

function withField(
  fields: Record<string, unknown>,
  [first = "", ...rest]: string[],
  value: string,
): Record<string, unknown> {
  const inner = (fields[first] ?? {}) as Record<string, unknown>;
  return { ...fields, [first]: rest.length === 0 ? value : withField(inner, rest, value) };
}

interface Found {
  rings: SeenRing[];
  current: SeenRing | undefined;
  failed: Member[];
  phase: RolloutPhase;
  soaking: ReturnType<typeof soakOf>;
}

async function tellRollout(
  rollout: SlipwayRollout,
  found: Found,
  { world, record }: Controller,
): Promise<void> {
  const observedGeneration = rollout.metadata.generation ?? 0;
  const { rings, current, failed, phase, soaking } = found;
  const names = failed.map(({ object }) => object.metadata.name);
  const messages: Record<RolloutPhase, string> = {
    Pending: "nothing has begun",
    RollingOut: `ring "${current?.name ?? ""}" is being changed`,
    Soaking: `ring "${soaking?.ring ?? ""}" has to stay healthy until ${isoTime(soaking?.untilMs ?? 0)}`,
    Stopped: `nothing more is begun: ${names.slice(0, 5).join(", ")} failed`,
    Paused: "spec.paused is true",
    Done: "all clusters have it",
  };
  const ready = {
    type: "Ready" as const,
    status: phase === "Done" ? ("True" as const) : ("False" as const),
    ...{ reason: phase, message: messages[phase], observedGeneration },
  };
  const status: SlipwayRolloutStatus = {
    observedGeneration,
    phase,
    conditions: withTransitionTimes<ControllerCondition>(
      [ready],
      rollout.status?.conditions,
      world.clock.now(),
    ),
    ...(phase === "Soaking" && soaking
      ? { ring: soaking.ring, soakingSince: soaking.since }
      : current && { ring: current.name }),
    rings: rings.map(({ name, seen }) => ({
      name,
      clusters: seen.length,
      updated: seen.filter(({ standing }) => standing === "updated").length,
      failed: seen.filter(({ standing }) => standing === "failed").map(({ object }) => object.metadata.name),
    })),
  };
  await writeStatus(world.client, rollout, status, fieldManager);
  if (rollout.status?.phase === phase) return;
  const type = phase === "Stopped" ? "Warning" : "Normal";
  await record(rollout, { type, reason: phase, message: messages[phase] });
}
