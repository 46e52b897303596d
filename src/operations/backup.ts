import type { ArchiveFile } from "../backups/index.ts";
import { runPlan } from "../engine/index.ts";
import { describeCause } from "../errors/index.ts";
import {
  comparePlan,
  defineResource,
  planEvent,
  same,
  type GraphNode,
  type StepContext,
} from "../plan/index.ts";
import type { Readers } from "../secrets/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { backupForNobody, backupToNowhere, onePipe } from "./backups/errors.ts";
import { gatherParts } from "./backups/gather-parts.ts";
import { makeArchive } from "./backups/make-archive.ts";
import { applyKeep } from "./backups/keep-backups.ts";
import { backupName, placesOf, type Archive, type Place } from "./backups/places.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import { assemble, readContext, type Parts } from "./planning/assemble.ts";
import { runName } from "./run/event-stream.ts";
import { guardedRun } from "./run/guarded-run.ts";
import { tellRunReport, type RunReport } from "./run/run-report.ts";

export interface BackupRequest {
  fleet: Fleet;
  selection: Selection;
  /** A folder or a bucket instead of the places of the file. */
  to?: string | undefined;
  /** Takes the backup instead of any place. */
  pipe?: ((content: AsyncIterable<Uint8Array>) => Promise<void>) | undefined;
}

interface BackupWant {
  cluster: string;
  name: string;
  places: string[];
}

interface BackupHave extends BackupWant {
  sizeBytes: number;
  removed: number;
}

/** Where a backup of one cluster goes, and who may open it. */
interface Target {
  cluster: Cluster;
  readers: Readers;
  places: Place[];
}

/**
 * One archive of each cluster, written to all its places; then what is too old there goes. Nothing of the cluster is changed.
 * Alone on this machine: not while "up" is at work on the cluster. Runs elsewhere are looked for, and not kept from beginning.
 */
export async function backupFleet(request: BackupRequest, outside: World): Promise<RunReport> {
  const { fleet } = request;
  const clusters = selectClusters(fleet, request.selection);
  const names = clusters.map(({ name }) => name);
  return guardedRun({ command: "backup", fleet, clusters: names }, outside, async ({ startedAt, world }) => {
    if (request.pipe && clusters.length > 1) throw onePipe(names);
    const targets = await Promise.all(clusters.map((cluster) => targetOf(cluster, request, world)));
    const parts = assemble(world, fleet);
    const archive = backupArchive(fleet, targets, parts, world);
    const kinds = new Map([[archive.kind, archive]]) as Parts["kinds"];
    const run = runName(world.clock.now());
    const plan = await comparePlan(
      targets.map((target) => stepOf(target, run)),
      kinds,
      readContext(world),
    );
    world.tell(planEvent(plan));
    const result = await runPlan(plan, kinds, world);
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    return tellRunReport(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: "nothing of the cluster was changed; backups from before are where they were",
      outputs: outputsOf(
        targets,
        run,
        result.finished.map(({ step }) => step),
      ),
    });
  });
}

async function targetOf(cluster: Cluster, { to, pipe }: BackupRequest, world: World): Promise<Target> {
  const readers = await world.secretFiles.readers(cluster.name);
  if (!readers) throw backupForNobody({ cluster: cluster.name, at: cluster.at });
  const places = pipe ? [pipePlace(pipe)] : await placesOf(cluster, to, world);
  if (places.length === 0) throw backupToNowhere({ cluster: cluster.name, at: cluster.at });
  return { cluster, readers, places };
}

const stepId = (cluster: string): string => `${cluster}/backup/archive`;

const stepOf = ({ cluster, places }: Target, run: string): GraphNode<BackupWant> => ({
  id: stepId(cluster.name),
  kind: "backup/archive",
  name: `backup of ${cluster.name}`,
  title: `Back up ${cluster.name}`,
  want: {
    cluster: cluster.name,
    name: backupName(cluster.name, run),
    places: places.map(({ name }) => name),
  },
  after: [],
  group: "cluster",
  stage: "kubernetes",
  cluster: cluster.name,
});

/** By cluster and place; without the file of a step that did not end. */
const outputsOf = (targets: Target[], run: string, finished: string[]): Record<string, string> =>
  Object.fromEntries(
    targets
      .filter(({ cluster }) => finished.includes(stepId(cluster.name)))
      .flatMap(({ cluster: { name }, places }) =>
        places.map((place, index) => [
          `${targets.length > 1 ? `${name}.` : ""}backup${index === 0 ? "" : ` ${index + 1}`}`,
          place.name === "-" ? "-" : `${place.name}/${backupName(name, run)}`,
        ]),
      ),
  );

/** Work, not a thing: it is never found done. A place that has this very backup is not written to again. */
const backupArchive = (fleet: Fleet, targets: Target[], parts: Parts, world: World) => {
  const written = new Set<string>();
  return defineResource<BackupWant, BackupHave>({
    kind: "backup/archive",
    face: ({ want }) => ({ noun: "backup", label: want.cluster }),
    read: () => Promise.resolve(undefined),
    compare: () => same,
    async create(ctx, want) {
      const target = targets.find(({ cluster }) => cluster.name === want.cluster);
      if (!target) throw new Error(`no cluster is called ${want.cluster}`);
      const { cluster, places } = target;
      const gathered = await gatherParts({ fleet, cluster }, parts, world, ctx.signal);
      await using archive = await makeArchive(gathered, { ...target, name: want.name }, world, ctx);
      const failures: unknown[] = [];
      let removed = 0;
      for (const place of places) {
        if (written.has(`${place.name} ${want.name}`)) continue;
        try {
          await place.write(want.name, withProgress(archive, ctx), ctx.signal);
          written.add(`${place.name} ${want.name}`);
          removed += await tidyPlace(place, cluster, ctx, world);
        } catch (thrown) {
          ctx.signal.throwIfAborted();
          // The other places shall have it all the same.
          if (places.length > 1) ctx.log("warn", `nothing got to ${place.name}: ${describeCause(thrown)}`);
          failures.push(thrown);
        }
      }
      if (failures.length > 0) throw failures[0];
      return { ...want, sizeBytes: archive.sizeBytes, removed };
    },
    update: (_ctx, _want, have) => Promise.resolve(have),
    remove: () => Promise.resolve(),
    out: ({ sizeBytes, removed }) => ({ bytes: sizeBytes, ...(removed > 0 && { removed }) }),
  });
};

/** Copying it elsewhere takes time. */
const withProgress = (archive: ArchiveFile, ctx: StepContext): Archive => ({
  keepAs: (file) => archive.keepAs(file),
  async *bytes() {
    let done = 0;
    for await (const piece of archive.bytes()) {
      ctx.signal.throwIfAborted();
      yield piece;
      done += piece.length;
      ctx.progress(done, archive.sizeBytes, "bytes");
    }
  },
});

const abandonedMs = 24 * 3_600_000;

/** Too many old backups are no reason to call the new one a failure. */
async function tidyPlace(place: Place, cluster: Cluster, ctx: StepContext, world: World): Promise<number> {
  const now = world.clock.now();
  try {
    await place.tidy(cluster.name, now - abandonedMs, ctx.signal);
    const gone = await applyKeep(place, cluster.name, cluster.backups?.keep, now, ctx.signal);
    for (const name of gone) ctx.log("info", `removed ${name} from ${place.name}, as "keep" says`);
    return gone.length;
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    ctx.log("warn", `old backups in ${place.name} were not removed: ${describeCause(thrown)}`);
    return 0;
  }
}

const pipePlace = (pipe: NonNullable<BackupRequest["pipe"]>): Place => ({
  name: "-",
  write: (_name, archive) => pipe(archive.bytes()),
  list: () => Promise.resolve([]),
  source: (name) => ({ name, read: () => ({ async *[Symbol.asyncIterator]() {} }) }),
  remove: () => Promise.resolve(),
  tidy: () => Promise.resolve(),
});
