import type { FactoryBuild } from "../../../images/index.ts";
import type { Role } from "../../../spec/index.ts";
import { sameSchematic, type NodeSystem, type NodeTarget } from "./node-system.ts";

/** The system a node should run. */
export interface SystemWant extends NodeTarget {
  role: Role;
  /** Where its installer comes from, and of which version. */
  build: Omit<FactoryBuild, "schematicId">;
  /** Absent: nodes were made from an image of the user's own, and keep the schematic they have. */
  schematic?: string | undefined;
  /** How long its pods may take to leave. */
  drainMs: number;
  controlPlanes: { node: string; address: string }[];
}

export const isWanted = (
  { build, schematic }: SystemWant,
  { version, schematic: found }: NodeSystem,
): boolean => version === build.version && (schematic === undefined || sameSchematic(schematic, found));
