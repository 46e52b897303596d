import path from "node:path";
import type { OpenedBackup } from "../../../backups/index.ts";
import type { ErrorData } from "../../../errors/index.ts";
import type { CallTrace, Redaction } from "../../../lib/index.ts";
import type { EventBody } from "../../../plan/index.ts";
import type { Cluster, Fleet } from "../../../spec/index.ts";
import type { World } from "../../../world/index.ts";
import { backupFleet } from "../../backup.ts";
import { openKnownBackup } from "../../backups/check-backup.ts";
import { selectClusters, type Selection } from "../../fleet/select.ts";
import { assemble } from "../../planning/assemble.ts";
import { openRehearsal } from "../../rehearse.ts";
import { restoreCluster, restoreSecrets } from "../../restore/restore.ts";
import type { RunReport } from "../../run/run-report.ts";
import { upFleet } from "../../up.ts";
import { rehearsalBroke } from "./errors.ts";
import { demandStrikable, strike, type Disaster, type Struck } from "./strike.ts";

export interface DisasterRequest {
  fleet: Fleet;
  selection: Selection;
  disaster: Disaster;
  stop: AbortSignal;
  calls?: CallTrace;
  redaction?: Redaction;
  /** Called with each line of the timeline as it comes. */
  onMoment?: (moment: Moment) => void;
}

/** Something that happened, in the rehearsal's own time. */
export interface Moment {
  atMs: number;
  what: string;
}

/** What a game day has shown. */
export interface DisasterReport {
  disaster: Disaster;
  cluster: string;
  isRecovered: boolean;
  timeline: Moment[];
  /** What a person would type. */
  commands: string[];
  /** From the disaster until the cluster was proven healthy. */
  recoveryTimeMs: number;
  /** From the last backup to the disaster: what was written in it is gone. */
  recoveryPointMs: number;
  /** Objects that were written before and after the backup, and how many of them were there at the end. */
  objects: { before: number; beforeKept: number; after: number; afterKept: number };
  error?: ErrorData | undefined;
}

/** How long people go on working after the backup before it happens. */
const untilStrikeMs = 15 * 60_000;
const notesOfEach = 3;

/** The user's own file through a disaster: brought up, backed up, struck, and brought back as a person would. */
export async function rehearseDisaster(request: DisasterRequest): Promise<DisasterReport> {
  const [chosen] = selectClusters(request.fleet, request.selection);
  if (!chosen) throw new Error("the file has no cluster");
  demandStrikable(request.disaster, chosen);
  const selection = { cluster: chosen.name };
  const rehearsal = await openRehearsal(request);
  const fleet = rehearsal.adapt(request.fleet);
  const cluster = selectClusters(fleet, selection)[0] ?? chosen;
  const events: EventBody[] = [];
  const world = rehearsal.world(request.stop, (event) => void events.push(event));
  const startedAt = world.clock.now();
  const timeline: Moment[] = [];
  const moment = (what: string): number => {
    const at = world.clock.now();
    const said = { atMs: at - startedAt, what };
    timeline.push(said);
    request.onMoment?.(said);
    return at;
  };
  try {
    moment(`slipway up ${cluster.name}`);
    demandDone(cluster, "slipway up", await up(fleet, cluster, world, []));
    await writeNotes(fleet, cluster, world, "before");
    const backup = await takeBackup(fleet, cluster, world);
    const backedUpAt = moment(`healthy, and backed up with slipway backup ${cluster.name}`);
    await world.clock.sleep(untilStrikeMs, request.stop);
    await writeNotes(fleet, cluster, world, "after");
    const struck = await strike(request.disaster, { rehearsal, fleet, cluster, world });
    const struckAt = moment(`gone: ${struck.what}`);
    const commands = commandsFor(cluster, struck, backup.source);
    for (const command of commands) moment(command);
    const report = await recover({ fleet, cluster, world }, struck, backup);
    const isUp = report.outcome === "done" || report.outcome === "unchanged";
    const endedAt = moment(isUp ? "healthy again" : "not healthy");
    const [beforeKept, afterKept] = isUp ? await countNotes(fleet, cluster, world) : [0, 0];
    const lost = notesOfEach - afterKept;
    return {
      ...{ disaster: request.disaster, cluster: cluster.name, timeline, commands },
      isRecovered: isUp && beforeKept === notesOfEach,
      recoveryTimeMs: endedAt - struckAt,
      recoveryPointMs: lost > 0 ? struckAt - backedUpAt : 0,
      objects: { before: notesOfEach, beforeKept, after: notesOfEach, afterKept },
      error: report.error ?? (isUp ? undefined : lastError(events)),
    };
  } finally {
    await rehearsal.close();
  }
}

interface Recovering {
  fleet: Fleet;
  cluster: Cluster;
  world: World;
}

type TakenBackup = { opened: OpenedBackup; source: string };

/** The same operations a person would use. */
async function recover(
  { fleet, cluster, world }: Recovering,
  { isDatabaseLost, lostHosts }: Struck,
  { opened, source }: TakenBackup,
): Promise<RunReport> {
  const request = { fleet, cluster: cluster.name, backup: opened, source };
  if (isDatabaseLost)
    return restoreCluster({ ...request, lostHosts, confirm: () => Promise.resolve(true) }, world);
  if (lostHosts.length === 0) await restoreSecrets(request, world);
  return up(fleet, cluster, world, lostHosts);
}

function commandsFor({ name }: Cluster, { isDatabaseLost, lostHosts }: Struck, source: string): string[] {
  const file = path.basename(source);
  const flags = lostHosts.map((host) => ` --host-lost ${host}`).join("");
  if (isDatabaseLost) return [`slipway restore ${file} ${name}${flags}`];
  return lostHosts.length > 0
    ? [`slipway up ${name}${flags}`]
    : [`slipway restore ${file} ${name} --files-only`, `slipway up ${name}`];
}

const up = (fleet: Fleet, { name }: Cluster, world: World, lostHosts: string[]): Promise<RunReport> =>
  upFleet(
    {
      ...{ fleet, selection: { cluster: name }, until: "addons", acceptDataLoss: [], lostHosts },
      confirm: () => Promise.resolve(true),
    },
    world,
  );

async function takeBackup(fleet: Fleet, cluster: Cluster, world: World): Promise<TakenBackup> {
  const to = path.join(world.folder, "backups");
  const report = await backupFleet({ fleet, selection: { cluster: cluster.name }, to }, world);
  demandDone(cluster, "slipway backup", report);
  const name = report.outputs["backup"] ?? "";
  const { opened } = await openKnownBackup({ fleet, name }, world);
  return { opened, source: name };
}

/** A file that cannot be brought up or backed up has nothing to rehearse a disaster with. */
function demandDone({ name: cluster }: Cluster, phase: string, { outcome, error }: RunReport): void {
  if (outcome === "done" || outcome === "unchanged") return;
  throw rehearsalBroke({ cluster, phase, why: error?.why ?? outcome, next: error?.next });
}

const kind = { apiVersion: "v1", kind: "ConfigMap" };
const namespace = "default";

async function writeNotes(fleet: Fleet, cluster: Cluster, world: World, when: string): Promise<void> {
  const kube = await assemble(world, fleet).openKube(cluster);
  for (let index = 1; index <= notesOfEach; index += 1)
    await kube?.apply(
      { ...kind, metadata: { name: `written-${when}-${index}`, namespace }, data: { when } },
      { fieldManager: "slipway-rehearsal" },
    );
}

async function countNotes(fleet: Fleet, cluster: Cluster, world: World): Promise<[number, number]> {
  const kube = await assemble(world, fleet).openKube(cluster);
  const names = ((await kube?.list({ ...kind, namespace }))?.items ?? []).map(
    ({ metadata }) => metadata?.name ?? "",
  );
  const count = (when: string): number => names.filter((name) => name.startsWith(`written-${when}-`)).length;
  return [count("before"), count("after")];
}

const lastError = (events: EventBody[]): ErrorData | undefined =>
  events.flatMap((event) => (event.type === "failed" ? [event.error] : [])).at(-1) ?? undefined;
