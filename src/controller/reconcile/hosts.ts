import { createHash } from "node:crypto";
import { errorData, type ErrorData } from "../../errors/index.ts";
import type { Survey } from "../../plan/index.ts";
import { withTransitionTimes, writeStatus, type Requeue } from "../machinery/index.ts";
import type { ControllerCondition, HostState, SlipwayHosts, SlipwayHostsStatus } from "../objects/index.ts";
import { textOf } from "./conditions.ts";
import type { Controller } from "./context.ts";
import { fieldManager } from "./controller-world.ts";

const everyMs = 30_000;

/**
 * Asks all hypervisors of a group once for all clusters on them. A cluster is only looked at again when its machines are others than
 * before.
 */
export async function reconcileHosts(name: string, controller: Controller): Promise<Requeue | undefined> {
  const object = controller.hosts.get(name);
  if (!object) return undefined;
  const found = await surveyed(name, controller);
  const again: Requeue = { afterMs: controller.queue.spread(everyMs), priority: "resync" };
  await tellHosts(controller, object, found);
  if ("error" in found) {
    controller.groups.expire(name);
    return again;
  }
  for (const [cluster, digest] of digests(found.survey)) {
    const key = `${name}/${cluster}`;
    const before = controller.machines.get(key);
    controller.machines.set(key, digest);
    if (before !== undefined && before !== digest && controller.clusters.get(cluster)?.spec.hosts === name)
      controller.queue.add(cluster, "repair");
  }
  return again;
}

type Surveyed = { survey: Survey; names: string[] } | { error: ErrorData };

async function surveyed(name: string, controller: Controller): Promise<Surveyed> {
  try {
    const group = await controller.groups.open(name);
    if (!group) throw new Error(`no hosts are called ${name}`);
    return { survey: await group.survey(), names: group.fleet.hosts.map((host) => host.name) };
  } catch (thrown) {
    return { error: errorData(thrown) };
  }
}

/** One line for the machines of each cluster. */
function digests({ machines }: Survey): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const { cluster, node, host, isRunning } of machines)
    lines.set(cluster, [...(lines.get(cluster) ?? []), `${node} ${host} ${isRunning}`]);
  return new Map(
    [...lines].map(([cluster, found]) => [
      cluster,
      createHash("sha256").update(found.toSorted().join("\n")).digest("hex"),
    ]),
  );
}

async function tellHosts(controller: Controller, object: SlipwayHosts, found: Surveyed): Promise<void> {
  const { world, groups } = controller;
  const observedGeneration = object.metadata.generation ?? 0;
  const hosts = "error" in found ? [] : found.names.map((name) => hostState(name, found.survey));
  const away = hosts.filter(({ isReachable }) => !isReachable).map(({ name }) => name);
  const ready = {
    type: "Ready" as const,
    observedGeneration,
    ...("error" in found
      ? { status: "False" as const, reason: "Invalid", message: textOf(found.error) }
      : hosts.length === 0
        ? { status: "Unknown" as const, reason: "NoCluster", message: "no cluster is on them yet" }
        : away.length > 0
          ? {
              status: "Unknown" as const,
              reason: "Unreachable",
              message: `${away.join(", ")} cannot be asked`,
            }
          : { status: "True" as const, reason: "Answering", message: `all ${hosts.length} hosts answer` }),
  };
  const status: SlipwayHostsStatus = {
    observedGeneration,
    conditions: withTransitionTimes<ControllerCondition>(
      [ready],
      object.status?.conditions,
      world.clock.now(),
    ),
    hosts,
    clusters: groups.clustersOf(object.metadata.name).length,
  };
  await writeStatus(world.client, object, status, fieldManager);
}

function hostState(name: string, { machines, unreachable }: Survey): HostState {
  const away = unreachable.find(({ host }) => host === name);
  return {
    name,
    isReachable: away === undefined,
    machines: machines.filter(({ host }) => host === name).length,
    ...(away && { message: away.error.why }),
  };
}
