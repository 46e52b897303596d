import { errorData, type ErrorData } from "../../errors/index.ts";
import type { Outline } from "../../plan/index.ts";
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
  const found = await outlined(name, controller);
  const again: Requeue = { afterMs: controller.queue.spread(everyMs), priority: "resync" };
  await tellHosts(controller, object, found);
  if ("error" in found) {
    controller.groups.expire(name);
    return again;
  }
  const lines = linesOf(found.outline);
  const changed = controller.groups
    .clustersOf(name)
    .map(({ metadata }) => metadata.name)
    .filter((cluster) => {
      const before = controller.machines.get(cluster);
      const now = lines.get(cluster) ?? "";
      controller.machines.set(cluster, now);
      return before !== undefined && before !== now;
    });
  if (changed.length > 0) controller.groups.changed(name);
  for (const cluster of changed) controller.queue.add(cluster, "repair");
  return again;
}

type Outlined = { outline: Outline; names: string[] } | { error: ErrorData };

async function outlined(name: string, controller: Controller): Promise<Outlined> {
  try {
    const group = await controller.groups.open(name);
    if (!group) throw new Error(`no hosts are called ${name}`);
    return { outline: await group.outline(), names: group.fleet.hosts.map((host) => host.name) };
  } catch (thrown) {
    return { error: errorData(thrown) };
  }
}

/** One text for the machines of each cluster. */
function linesOf({ machines }: Outline): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const { cluster, line } of machines) {
    const known = lines.get(cluster);
    if (known) known.push(line);
    else lines.set(cluster, [line]);
  }
  return new Map([...lines].map(([cluster, found]) => [cluster, found.toSorted().join("\n")]));
}

async function tellHosts(controller: Controller, object: SlipwayHosts, found: Outlined): Promise<void> {
  const { world, groups } = controller;
  const observedGeneration = object.metadata.generation ?? 0;
  const hosts = "error" in found ? [] : found.names.map((name) => hostState(name, found.outline));
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

function hostState(name: string, { machines, unreachable }: Outline): HostState {
  const away = unreachable.find(({ host }) => host === name);
  return {
    name,
    isReachable: away === undefined,
    machines: machines.filter(({ host }) => host === name).length,
    ...(away && { message: away.error.why }),
  };
}
