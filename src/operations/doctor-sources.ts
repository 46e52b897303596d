import path from "node:path";
import type { Sources } from "../checks/index.ts";
import { connectKube } from "../clients/kube/index.ts";
import { errorData, SlipwayError, type ErrorData } from "../errors/index.ts";
import { limitTime } from "../lib/index.ts";
import { comparePlan, type FieldChange, type Graph, type Survey } from "../plan/index.ts";
import { isLinux, type Cluster, type Fleet, type Host } from "../spec/index.ts";
import type { World } from "../world.ts";
import { describeFleet, hostsOf, readContext, type Described, type Parts } from "./assemble.ts";
import { hostTooSlow } from "./run-errors.ts";

/** Hosts have this long. Proxmox itself waits longer for a node that is silent. */
const hostPatienceMs = 12_000;

/** Where doctor looks, wired to the parts of a fleet. */
export function sourcesOf(fleet: Fleet, cluster: Cluster, parts: Parts, world: World): Sources {
  const { provider, distribution } = parts;
  const ctx = readContext(world);
  const hosts = hostsOf(fleet, [cluster]);
  let surveyed: Promise<Survey> | undefined;
  const survey = (): Promise<Survey> => (surveyed ??= surveyInTime(parts, hosts, world));
  const planned = (): Promise<Described> =>
    survey().then((known) => describeFleet(fleet, [cluster], known, parts));
  return {
    survey,
    examineMachines: async (machines) => provider.examine(ctx, machines, await survey()),
    examineNodes: () => distribution.examine(cluster, world.stop),
    async openKube(server) {
      const kubeconfig = await distribution.kubeconfig(
        server === undefined ? cluster : { ...cluster, endpoint: server },
      );
      return kubeconfig === undefined
        ? undefined
        : connectKube({ kubeconfig, dial: world.dialFor(cluster.name), clock: world.clock });
    },
    obstacles: async () => obstaclesTo(cluster, await survey(), parts, planned, world),
    deviations: async (node) =>
      deviationsOf(provider.machineStep(cluster.name, node), (await planned()).graph, parts, world),
    secretsFolder: path.join(path.basename(world.folder), cluster.name),
    hasKubernetes: !isLinux(cluster),
    signal: world.stop,
  };
}

/** Hosts that are asked too long count as silent, like those that refuse. */
async function surveyInTime({ provider }: Parts, hosts: Host[], world: World): Promise<Survey> {
  const late = `no answer within ${hostPatienceMs / 1000}s`;
  const ask = (some: Host[]): Promise<Survey> =>
    limitTime(hostPatienceMs, late, world.stop, (signal) =>
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
    const silent = hosts.map((host) => ({ host: host.name, error: error(host) }));
    return {
      machines: [],
      images: [],
      templates: [],
      keptDisks: [],
      shelves: [],
      takenVmids: new Map(),
      hosts: [],
      silent,
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
  world: World,
): Promise<FieldChange[]> {
  const node = graph.find(({ id }) => id === step);
  if (!node) return [];
  const { changes } = await comparePlan([{ ...node, after: [] }], kinds, readContext(world));
  return changes.flatMap(({ fields }) => fields);
}
