import { refusal, under } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { splitList } from "../parameters/formats.ts";
import type { SimStorage } from "../state.ts";
import { findStorage, storagesOf } from "./volumes.ts";
import { storageDigest, storageSettings } from "./definition.ts";
import { demandDeletable, demandSettings, storageFrom, type Settings } from "./settings.ts";

const own = new Set(["storage", "type", "digest", "delete"]);

export const storageConfigCalls: Handlers<
  "POST /storage" | "PUT /storage/{storage}" | "DELETE /storage/{storage}"
> = {
  "POST /storage": (context, params) => {
    const { storage, type } = params;
    const settings = settingsIn(params);
    if (settings["nodes"] === "") delete settings["nodes"];
    demandSettings(type, settings, true);
    return under("create storage failed", () => {
      if (storagesOf(context.cluster)[storage]) throw refusal(`storage ID '${storage}' already defined`);
      // A volume group is looked for only when something is to be put into it.
      const isGroup = type === "lvm" || type === "lvmthin";
      if (!isGroup && type !== "dir") throw refusal(`storage '${storage}' is not online`);
      if (!isGroup && isHere(settings, context.entry)) demandFolder(storage, settings);
      keep(context, storage, storageFrom(type, settings, isGroup ? 0 : sizeLike(context)));
      return { storage, type };
    });
  },

  "PUT /storage/{storage}": (context, params) => {
    const { cluster } = context;
    const { storage, digest } = params;
    return under("update storage failed", () => {
      if (digest && digest !== storageDigest(cluster)) {
        throw refusal("detected modified configuration - file changed by other user? Try again.");
      }
      const before = findStorage(cluster, storage);
      const removed = splitList(params.delete ?? "");
      const set = settingsIn(params);
      demandSettings(before.type, set, false);
      demandDeletable(before.type, removed, set);
      const kept = Object.entries(storageSettings(storage, before)).filter(([key]) => !removed.includes(key));
      const settings = { ...Object.fromEntries(kept), ...set };
      // The file keeps no empty lines.
      if (settings["nodes"] === "") delete settings["nodes"];
      keep(context, storage, storageFrom(before.type, settings, before.size));
      return { storage, type: before.type };
    });
  },

  "DELETE /storage/{storage}": (context, { storage }) =>
    under("delete storage failed", () => {
      findStorage(context.cluster, storage);
      keep(context, storage, null);
      const { state } = context.cluster;
      state.acl = state.acl.filter(({ path }) => path !== `/storage/${storage}`);
      for (const pool of Object.values(state.pools)) {
        pool.storages = pool.storages.filter((other) => other !== storage);
      }
    }),
};

function settingsIn(params: Record<string, unknown>): Settings {
  return Object.fromEntries(
    Object.entries(params)
      .filter(([key, value]) => !own.has(key) && value !== undefined)
      .map(([key, value]) => [key, typeof value === "boolean" ? Number(value) : (value as string | number)]),
  );
}

/** Nothing is tried out of a storage that is switched off, or meant for other nodes. */
const isHere = ({ disable, nodes = "" }: Settings, entry: string): boolean =>
  disable !== 1 && (nodes === "" || splitList(String(nodes)).includes(entry));

/** Folders are made where they are missing, unless that is forbidden. */
function demandFolder(storage: string, settings: Settings): void {
  const { path, is_mountpoint: mount } = settings;
  const isMount = mount !== undefined && !/^(?:0|no|off|false)$/i.test(String(mount));
  if (isMount) {
    const at = /^(?:1|yes|on|true)$/i.test(String(mount)) ? path : mount;
    throw refusal(
      `unable to activate storage '${storage}' - directory is expected to be a mount point but is not mounted: '${at}'`,
    );
  }
  if (settings["mkdir"] === 0 || settings["create-base-path"] === 0) {
    throw refusal(
      `unable to activate storage '${storage}' - directory '${path}' does not exist or is unreachable`,
    );
  }
}

/** As large as what is there: they lie on the same disk. */
const sizeLike = ({ cluster }: CallContext): number =>
  Object.values(storagesOf(cluster)).find(({ type }) => type === "dir")?.size ?? 100 * 2 ** 30;

function keep({ cluster }: CallContext, name: string, storage: SimStorage | null): void {
  cluster.state.storages = { ...cluster.state.storages, [name]: storage };
  cluster.changed();
}
