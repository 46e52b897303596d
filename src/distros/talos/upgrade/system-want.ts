import type { FactoryBuild } from "../../../images/index.ts";
import type { Role } from "../../../spec/index.ts";
import { compareVersions } from "./upgrade-path.ts";
import { sameSchematic, type NodeSystem, type NodeTarget } from "./node-system.ts";

/** The system a node should run. */
export interface SystemWant extends NodeTarget {
  role: Role;
  /** Where its installer comes from, and of which version. */
  build: Omit<FactoryBuild, "schematicId">;
  /** Absent: nodes were made from an image of the user's own, and keep the schematic they have. */
  schematic?: string | undefined;
  /** On the way to a later one: newer ones will do, and the schematic stays as it is. */
  isOnTheWay?: true;
  /** What it runs by then, where other versions come before. */
  from?: string | undefined;
  /** How long its pods may take to leave. */
  drainMs: number;
  controlPlanes: { node: string; address: string }[];
}

export const isWanted = (
  { build, schematic, isOnTheWay }: SystemWant,
  { version, schematic: found }: NodeSystem,
): boolean =>
  isOnTheWay
    ? compareVersions(version, build.version) >= 0
    : version === build.version && (schematic === undefined || sameSchematic(schematic, found));

/** What its installer is made of: on the way the node's own, in the end what the file says where it says so. */
export const schematicOf = ({ schematic, isOnTheWay }: SystemWant, running: NodeSystem): string | undefined =>
  isOnTheWay ? (running.schematic ?? schematic) : (schematic ?? running.schematic);
