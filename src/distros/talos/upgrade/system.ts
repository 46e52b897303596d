import {
  defineResource,
  same,
  type RollingGates,
  type FieldChange,
  type ReadContext,
} from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { isMarked } from "../../kubernetes/index.ts";
import { sameSchematic, type NodeSystem, type NodeReads } from "./node-system.ts";
import { rollSystem } from "./roll-system.ts";
import { compareVersions } from "./upgrade-path.ts";
import { isWanted, type SystemWant } from "./system-want.ts";

interface SystemHave {
  /** Absent: it does not answer now, or has not got its config yet. */
  system?: NodeSystem;
  /** A run that was cut has left it cordoned. */
  isCordoned: boolean;
}

/** The system of a node that runs: Talos in one version, built from one schematic. */
export const talosSystem = (access: TalosAccess, reads: NodeReads, gates: RollingGates) => {
  const read = async (ctx: ReadContext, want: SystemWant): Promise<SystemHave> => {
    const [{ reading }, nodes] = await Promise.all([reads.node(ctx, want), reads.kubeNodes(ctx, want)]);
    return { ...(reading && { system: reading.system }), isCordoned: isMarked(nodes.get(want.node)) };
  };
  return defineResource<SystemWant, SystemHave>({
    kind: "talos/system",
    read,

    compare(want, have) {
      const fields = differences(want, have);
      if (fields.length === 0) return same;
      const isDone = have.system !== undefined && isWanted(want, have.system);
      return { same: false, action: "update", consequence: isDone ? "hot" : "roll", fields };
    },

    // A node is made with its system.
    create: read,

    async update(ctx, want) {
      return { system: await rollSystem({ access, ctx, want }, gates), isCordoned: false };
    },

    // It goes with the disk it is on.
    remove: async () => {},

    out: ({ system }): Record<string, string> => (system ? { version: system.version } : {}),
  });
};

function differences(want: SystemWant, { system, isCordoned }: SystemHave): FieldChange[] {
  const { build, schematic, from = "0.0.0" } = want;
  if (!system) return isCordoned ? [{ field: "Talos", from: "restarting", to: build.version }] : [];
  const isDone = isWanted(want, system);
  if (isDone)
    return isCordoned ? [{ field: "cordon", from: "left by a run that was cut", to: "lifted" }] : [];
  const before = compareVersions(from, system.version) > 0 ? from : system.version;
  const isOther = schematic !== undefined && !want.isOnTheWay && !sameSchematic(schematic, system.schematic);
  return [
    ...(before === build.version ? [] : [{ field: "Talos", from: before, to: build.version }]),
    ...(isOther ? [{ field: "schematic", from: short(system.schematic), to: short(schematic) }] : []),
  ];
}

const short = (schematic: string | undefined): string => schematic?.slice(0, 12) ?? "none";
