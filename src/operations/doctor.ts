import path from "node:path";
import { openInspection, questionsFor, walk, type Diagnosis, type Sources } from "../checks/index.ts";
import { connectKube } from "../clients/kube/index.ts";
import { errorData, SlipwayError, type ErrorData } from "../errors/index.ts";
import { limitTime } from "../lib/index.ts";
import {
  comparePlan,
  type FieldChange,
  type Graph,
  type Survey,
  machineStep,
  type ReadContext,
} from "../plan/index.ts";
import type { Cluster, Fleet, Host } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { describeFleet, type Described } from "./planning/describe-fleet.ts";
import { assemble, hostsOf, readContext, type Parts } from "./planning/assemble.ts";
import { hostTooSlow } from "./planning/errors.ts";
import { tellRunReport, type RunReport } from "./run/run-report.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";

export interface DoctorRequest {
  fleet: Fleet;
  selection: Selection;
  /** Told when the walk through a cluster ends. */
  onDiagnosis?(diagnosis: Diagnosis, tookMs: number): void;
}

/** Why a cluster does not work. Reads only; ends at the first cause that explains the rest, or says that nothing is wrong. */
export async function diagnoseFleet(request: DoctorRequest, world: World): Promise<RunReport> {
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
  const parts = assemble(world, fleet);
  const found: Diagnosis[] = [];
  // One after the other: what is told of one cluster stays together.
  for (const cluster of clusters) {
    const from = world.clock.now();
    const inspection = openInspection(cluster, sourcesOf(fleet, cluster, parts, world));
    const diagnosis = await walk(inspection, questionsFor(inspection), world);
    found.push(diagnosis);
    request.onDiagnosis?.(diagnosis, world.clock.now() - from);
    if (world.stop.aborted) return tellRunReport(world, { outcome: "stopped", startedAt });
  }
  const cause = found.find((each) => each.cause)?.cause;
  return tellRunReport(world, {
    outcome: cause ? "failed" : "done",
    startedAt,
    error: cause,
  });
}

/** Hosts have this long. Proxmox itself waits longer for a node that is unreachable. */
const hostPatienceMs = 12_000;

/** Where doctor looks, wired to the parts of a fleet. */
function sourcesOf(fleet: Fleet, cluster: Cluster, parts: Parts, world: World): Sources {
  const { provider, distribution } = parts;
  const ctx = readContext(world);
  const hosts = hostsOf(fleet, [cluster]);
  let surveyed: Promise<Survey> | undefined;
  const survey = (): Promise<Survey> => (surveyed ??= surveyInTime(parts, hosts, world));
  const planned = (): Promise<Described> =>
    survey().then((known) => describeFleet(fleet, [cluster], known, parts));
  return {
    survey,
    inspectMachines: async (machines) => provider.inspect(ctx, machines, await survey()),
    inspectNodes: () => distribution.inspect(cluster, world.stop),
    async openKube(server) {
      const kubeconfig = await distribution.kubeconfig(
        server === undefined ? cluster : { ...cluster, endpoint: server },
      );
      return kubeconfig === undefined
        ? undefined
        : connectKube({
            kubeconfig,
            dial: world.dialFor(cluster.name),
            clock: world.clock,
            calls: world.calls,
          });
    },
    obstacles: async () => obstaclesTo(cluster, await survey(), parts, planned, world),
    deviations: async (node) =>
      deviationsOf(
        machineStep(cluster.name, node),
        (await planned()).graph,
        parts,
        readContext(world, await survey()),
      ),
    secretsFolder: path.join(path.basename(world.folder), cluster.name),
    kubernetes: parts.factsOf(cluster).kubernetes,
    clock: world.clock,
    signal: world.stop,
  };
}

/** Hosts that are asked too long count as unreachable, like those that refuse. */
async function surveyInTime({ provider }: Parts, hosts: Host[], world: World): Promise<Survey> {
  const late = `no answer within ${hostPatienceMs / 1000}s`;
  const ask = (some: Host[]): Promise<Survey> =>
    limitTime(world.clock, hostPatienceMs, late, world.stop, (signal) =>
      provider.survey({ ...readContext(world), signal }, some),
    );
  try {
    return await ask(hosts);
  } catch (thrown) {
    world.stop.throwIfAborted();
    const error = (host: Host): ErrorData =>
      errorData(
        thrown instanceof SlipwayError
          ? thrown
          : hostTooSlow({ host: host.name, at: host.at, seconds: hostPatienceMs / 1000 }),
      );
    const unreachable = hosts.map((host) => ({ host: host.name, error: error(host) }));
    return {
      machines: [],
      images: [],
      keptDisks: [],
      keptDisksHolders: [],
      hosts: [],
      unreachable,
    };
  }
}

/** What preflight holds against making what is missing, the plan's own refusals among it. */
async function obstaclesTo(
  cluster: Cluster,
  survey: Survey,
  parts: Parts,
  planned: () => Promise<Described>,
  world: World,
): Promise<ErrorData[]> {
  const ctx = readContext(world);
  try {
    const { placed, graph } = await planned();
    const checks = [
      ...parts.provider.preflight(cluster, placed.get(cluster.name) ?? [], survey, placed),
      ...parts.addons.preflight(cluster, graph),
    ];
    const found = await Promise.all(
      checks.map(async (check) => {
        try {
          const { status, error } = await check.run(ctx);
          return status === "failed" && error ? [error] : [];
        } catch (thrown) {
          return [errorData(thrown)];
        }
      }),
    );
    return found.flat();
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return [errorData(thrown)];
    throw thrown;
  }
}

/** In what one step of the graph differs from what is there. */
async function deviationsOf(
  step: string,
  graph: Graph,
  { kinds }: Parts,
  ctx: ReadContext,
): Promise<FieldChange[]> {
  const node = graph.find(({ id }) => id === step);
  if (!node) return [];
  const { changes } = await comparePlan([{ ...node, after: [] }], kinds, ctx);
  return changes.flatMap(({ fields }) => fields);
}
