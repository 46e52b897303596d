import { admit, questionsFor, walk, type Diagnosis } from "../checks/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble } from "./assemble.ts";
import { sourcesOf } from "./doctor-sources.ts";
import { tellEnding, type Ending } from "./ending.ts";
import { selectClusters, type Selection } from "./select.ts";

export interface DoctorRequest {
  fleet: Fleet;
  selection: Selection;
  /** Told when the walk through a cluster ends. */
  onDiagnosis?(diagnosis: Diagnosis, tookMs: number): void;
}

/** Why a cluster does not work. Reads only; ends at the first cause that explains the rest, or says that nothing is wrong. */
export async function diagnoseFleet(request: DoctorRequest, world: World): Promise<Ending> {
  const { fleet, selection } = request;
  const clusters = selectClusters(fleet, selection);
  const startedAt = world.clock.now();
  world.tell({
    type: "run",
    command: "doctor",
    clusters: clusters.map(({ name }) => name),
    world: world.kind,
    slipway: world.slipway,
    file: fleet.file,
  });
  const parts = assemble(world);
  const found: Diagnosis[] = [];
  // One after the other: what is told of one cluster stays together.
  for (const cluster of clusters) {
    const from = world.clock.now();
    const patient = admit(cluster, sourcesOf(fleet, cluster, parts, world));
    const diagnosis = await walk(patient, questionsFor(patient), world);
    found.push(diagnosis);
    request.onDiagnosis?.(diagnosis, world.clock.now() - from);
    if (world.stop.aborted) return tellEnding(world, { outcome: "stopped", startedAt });
  }
  const cause = found.find((each) => each.cause)?.cause;
  return tellEnding(world, { outcome: cause ? "failed" : "done", startedAt, ...(cause && { error: cause }) });
}
