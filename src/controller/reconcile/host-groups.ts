import path from "node:path";
import { outlineHosts, surveyHosts } from "../../operations/index.ts";
import type { Outline, Survey, Tell } from "../../plan/index.ts";
import type { AgeKeys } from "../../secrets/index.ts";
import type { Fleet, Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Informer } from "../machinery/index.ts";
import type { SlipwayCluster, SlipwayHosts } from "../objects/index.ts";
import type { ControllerWorld } from "./controller-world.ts";
import { groupVersion, loadGroup, settled, type HostGroup } from "./fleet-of.ts";
import { documentKeysOf, documentSourceOf } from "./secrets/documents.ts";
import { secretReader } from "./secrets/secret-refs.ts";

/** A group with a way to its hosts, which is kept open. */
export interface OpenGroup extends HostGroup {
  /** What opens documents of its clusters; absent where none has any. */
  documentKeys?: { keys: AgeKeys; recipient: string } | undefined;
  world: World;
  /** Our machines on its hosts, by a few calls for all clusters. */
  outline(): Promise<Outline>;
  /** What is on these of its hosts. The answer is kept for all clusters that are on the same, until something has changed there. */
  survey(hosts: Host[]): Promise<Survey>;
  /** Something has changed on its hosts, or somebody wants to know anew. */
  forgetSurveys(): void;
}

export interface HostGroups {
  /** The group of these hosts as its objects say now. Throws what is wrong with the hosts themselves. */
  open(name: string): Promise<OpenGroup | undefined>;
  clustersOf(name: string): SlipwayCluster[];
  /** Something has changed on these hosts: whoever asks next is not told what was seen before. */
  changed(name: string): void;
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
    const readSecret = secretReader(world.client, world.namespace);
    const documentKeys = members.some(documentSourceOf)
      ? await settled(() => documentKeysOf(object, readSecret, world.keys))
      : undefined;
    const group = await loadGroup({
      hosts: object,
      clusters: members,
      readSecret,
      documentKeys,
      folder: path.join(world.folder, name),
    });
    const found = documentKeys && "value" in documentKeys ? documentKeys.value : undefined;
    return { ...group, documentKeys: found, ...openFleet(world, group.fleet, found?.keys ?? world.keys) };
  };

  return {
    clustersOf,
    expire: (name) => known.delete(name),
    changed: (name) =>
      void known.get(name)?.group.then(
        (group) => group.forgetSurveys(),
        () => undefined,
      ),
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

/** A survey asks for every machine of ours on these hosts, which with a thousand of them is not done for each cluster. */
const surveyMs = 5 * 60_000;

function openFleet(
  world: ControllerWorld,
  fleet: Fleet,
  keys: AgeKeys,
): Pick<OpenGroup, "world" | "outline" | "survey" | "forgetSurveys"> {
  const tell: Tell = (event) => {
    if (event.type === "log") world.log(event.level, event.text);
  };
  const opened = world.openWorld(fleet, tell, keys);
  const surveys = new Map<string, { atMs: number; survey: Promise<Survey> }>();
  return {
    world: opened,
    outline: () => outlineHosts(fleet, opened),
    forgetSurveys: () => surveys.clear(),
    survey(hosts) {
      const key = hosts.map(({ name }) => name).join();
      const before = surveys.get(key);
      if (before && world.clock.now() - before.atMs < surveyMs) return before.survey;
      const asked = { atMs: world.clock.now(), survey: surveyHosts(fleet, hosts, opened) };
      surveys.set(key, asked);
      const forget = (): void => {
        if (surveys.get(key) === asked) surveys.delete(key);
      };
      // Whoever did not answer is asked again.
      asked.survey.then(({ unreachable }) => unreachable.length > 0 && forget(), forget);
      return asked.survey;
    },
  };
}
