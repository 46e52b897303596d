import path from "node:path";
import { surveyHosts } from "../../operations/index.ts";
import type { Survey } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Informer } from "../machinery/index.ts";
import type { SlipwayCluster, SlipwayHosts } from "../objects/index.ts";
import type { ControllerWorld } from "./controller-world.ts";
import { groupVersion, loadGroup, type HostGroup } from "./fleet-of.ts";
import { secretReader } from "./secrets/secret-refs.ts";

/** A group with a way to its hosts, which is kept open. */
export interface OpenGroup extends HostGroup {
  world: World;
  /** What is on its hosts, asked for all clusters at once. */
  survey(): Promise<Survey>;
}

export interface HostGroups {
  /** The group of these hosts as its objects say now. Throws what is wrong with the hosts themselves. */
  open(name: string): Promise<OpenGroup | undefined>;
  clustersOf(name: string): SlipwayCluster[];
  /** Secrets may have changed without any object: the next who asks reads them again. */
  expire(name: string): void;
}

interface Known {
  version: string;
  group: Promise<OpenGroup>;
}

/** Connections and parsed fleets are kept for as long as their objects say the same. */
export function hostGroups(
  world: ControllerWorld,
  hosts: Pick<Informer<SlipwayHosts>, "get">,
  clusters: Pick<Informer<SlipwayCluster>, "list">,
): HostGroups {
  const known = new Map<string, Known>();
  const clustersOf = (name: string): SlipwayCluster[] =>
    clusters.list().filter(({ spec }) => spec.hosts === name);

  const openNew = async (object: SlipwayHosts, members: SlipwayCluster[]): Promise<OpenGroup> => {
    const { name } = object.metadata;
    const group = await loadGroup({
      hosts: object,
      clusters: members,
      readSecret: secretReader(world.client, world.namespace),
      folder: path.join(world.folder, name),
    });
    return { ...group, ...openFleet(world, group.fleet) };
  };

  return {
    clustersOf,
    expire: (name) => known.delete(name),
    async open(name) {
      const object = hosts.get(name);
      if (!object) {
        known.delete(name);
        return undefined;
      }
      const members = clustersOf(name);
      const version = groupVersion(object, members);
      const before = known.get(name);
      if (before?.version === version) return before.group;
      const group = openNew(object, members);
      known.set(name, { version, group });
      // What is wrong may be mended in a Secret, which nobody watches.
      group.catch(() => known.delete(name));
      return group;
    },
  };
}

function openFleet(world: ControllerWorld, fleet: Fleet): Pick<OpenGroup, "world" | "survey"> {
  const opened = world.openWorld(fleet, (event) => {
    if (event.type === "log") world.log(event.level, event.text);
  });
  return { world: opened, survey: () => surveyHosts(fleet, opened) };
}
