import { defineResource, same, type StepContext } from "../../../../plan/index.ts";
import { isStarting, type Guest } from "../../../linux-hosts/index.ts";
import { unitName, unitPath, type K3sRole } from "../../files/unit-file.ts";
import type { K3sAccess } from "../../k3s-access.ts";
import { k3sPaths } from "../../paths.ts";

/** A node of a cluster whose database is lost, before another takes its place. */
export interface LostDatabaseWant extends Guest {
  role: K3sRole;
  /** It gets the database of the backup, and K3s itself puts the old one aside. */
  isFirst?: true | undefined;
}

interface LostDatabaseHave {
  isRunning: boolean;
  hasDatabase: boolean;
}

/**
 * K3s stands still on every node while the database is exchanged, and the databases of the other servers are put aside, so
 * that none of them comes back as the cluster it was. Pods run on.
 */
export const k3sLostDatabase = (access: K3sAccess) =>
  defineResource<LostDatabaseWant, LostDatabaseHave>({
    kind: "k3s/lost-database",
    face: () => ({ noun: "database" }),

    async read(ctx, want) {
      try {
        return await look(access, want, ctx.signal);
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare: (want, { isRunning, hasDatabase }) =>
      !isRunning && !hasDatabase
        ? same
        : {
            same: false,
            action: "update",
            consequence: want.role === "server" ? "data" : "disturb",
            fields: [{ field: "K3s", from: "on what is lost", to: "stopped" }],
            ...(want.role === "server" && {
              loses: "what etcd took since the backup",
              keeps: "its old database beside the new one, under another name",
            }),
          },

    create: (ctx, want) => putAside(access, ctx, want),
    update: (ctx, want) => putAside(access, ctx, want),
    remove: async () => {},
  });

/** The database of the first server stays until the reset. */
function look(access: K3sAccess, want: LostDatabaseWant, signal: AbortSignal): Promise<LostDatabaseHave> {
  return access.using(want, async (host) => {
    const isThere = await host.exists(unitPath(want.role), signal);
    const unit = isThere ? await host.unit(unitName(want.role), signal) : undefined;
    return {
      isRunning: unit !== undefined && unit.active !== "inactive" && unit.active !== "failed",
      hasDatabase:
        want.role === "server" && !want.isFirst && (await host.exists(k3sPaths.databaseFolder, signal)),
    };
  });
}

async function putAside(
  access: K3sAccess,
  ctx: StepContext,
  want: LostDatabaseWant,
): Promise<LostDatabaseHave> {
  const { signal } = ctx;
  const { isRunning, hasDatabase } = await look(access, want, signal);
  await access.using(want, async (host) => {
    if (isRunning) await host.systemctl(["disable", "--now", unitName(want.role)], signal);
    if (!hasDatabase) return;
    const aside = `${k3sPaths.databasesFolder}-lost-${Math.floor(ctx.clock.now() / 1000)}`;
    await host.move(k3sPaths.databasesFolder, aside, signal);
  });
  return { isRunning: false, hasDatabase: false };
}
