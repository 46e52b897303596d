import path from "node:path";
import type { KubeClient } from "../../clients/kube/index.ts";
import type { CallTrace, Clock, Random, Redaction } from "../../lib/index.ts";
import type { LogLevel, RunEvent, Tell } from "../../plan/index.ts";
import type { AgeKeys } from "../../secrets/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { ClusterSighting } from "../metrics/index.ts";
import type { SlipwayCluster } from "../objects/index.ts";

/** The outside of the controller, passed in: a real one, or one whose time and wires are simulated. */
export interface ControllerWorld {
  /** The API server that the objects live on. */
  client: KubeClient;
  /** The controller's own: objects and Secrets are looked for here alone. */
  namespace: string;
  /** Which process this is: `POD_UID`. */
  identity: string;
  /** Where files of clusters are laid out while they are worked on. */
  folder: string;
  clock: Clock;
  random: Random;
  redaction: Redaction;
  /** What opens documents of clusters whose hosts name no age key of their own. */
  keys: AgeKeys;
  calls: CallTrace;
  /** The outside of a fleet, as the command line has it, and with these keys. */
  openWorld(fleet: Fleet, tell: Tell, keys: AgeKeys): World;
  /** First signal: nothing new is begun, and what runs comes to its end. */
  halt: AbortSignal;
  /** Second one: what runs lets go as soon as it can. */
  stop: AbortSignal;
  log(level: LogLevel, text: string): void;
}

/** Told what happens, to be counted and traced. */
export interface Observer {
  planned(result: "done" | "failed", tookMs: number): void;
  /** What was seen of a cluster; what is left out stays as it was. */
  seen(object: SlipwayCluster, sighting: ClusterSighting): void;
  /** A reader for the events of one run. */
  followRun(): (event: RunEvent) => void;
}

/** Who owns the fields that the controller writes. */
export const fieldManager = "slipway-controller";

/** Where the files of the hosts of a cluster lie, and those of the clusters beside them. */
export const folderOf = ({ spec }: SlipwayCluster, { folder }: ControllerWorld): string =>
  path.join(folder, spec.hosts);
