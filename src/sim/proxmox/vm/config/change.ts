import { configParams, type Params } from "../../../../clients/proxmox/endpoints/index.ts";
import { badParameter, refusal } from "../../api-error.ts";
import type { CallContext } from "../../call.ts";
import { tidyDrives } from "./drives.ts";
import { splitList } from "../../parameters/formats.ts";
import { contentOf, findStorage, findVolume, splitVolumeId } from "../../storage/volumes.ts";
import { paramFor } from "../../parameters/verify.ts";
import { givenConfig, type Config } from "./config.ts";
import { demandConfigRights, demandDriveRights, demandNetworkRights } from "./permissions.ts";

export type Change = Params<"POST /nodes/{node}/qemu/{vmid}/config">;

/** Parameters of a change that are no configuration keys. */
const ownParams = new Set([
  "node",
  "vmid",
  "delete",
  "revert",
  "force",
  "digest",
  "skiplock",
  "background_delay",
  "import-working-storage",
]);

export interface PreparedChange {
  set: Config;
  remove: string[];
  revert: string[];
}

/** What can be refused without looking at the machine, in the order of the real server. */
export function prepare(context: CallContext, params: Change): PreparedChange {
  const { cluster } = context;
  if (params.skiplock && !context.caller.isRoot) {
    throw badParameter({ skiplock: "Only root may use this option." });
  }
  const given = givenConfig(cluster, params, ownParams, false);
  demandSshKeys(given);
  const remove = splitList(params.delete ?? "").map((key) => (key === "cdrom" ? "ide2" : key));
  const revert = splitList(params.revert ?? "");
  const isEmpty = Object.keys(params).every((key) => ownParams.has(key)) && !params.delete && !params.revert;
  if (isEmpty) throw refusal("no options specified");
  const isKnown = (key: string) =>
    paramFor(configParams, key, cluster.version) !== undefined || internalKeys.has(key);
  for (const key of revert) demandRevertible(key, given, isKnown(key));
  for (const key of remove) demandDeletable(key, given, revert, isKnown(key));
  // Notes of nothing are no notes.
  if (params.description === "") remove.push("description");
  const set = tidyDrives(cluster, given);
  demandHookScript(context, params.node, set);
  demandConfigRights(context, { vmid: params.vmid }, [...remove, ...Object.keys(set)]);
  demandDriveRights(context, params.vmid, set);
  demandNetworkRights(context, set);
  return { set, remove, revert };
}

/** Keys of a configuration that nobody sets by a call. */
const internalKeys = new Set(["meta", "parent", "snaptime", "vmstate", "runningmachine", "runningcpu"]);

function demandRevertible(key: string, given: Config, isKnown: boolean): void {
  if (!isKnown) throw badParameter({ revert: `unknown option '${key}'` });
  if (given[key] === undefined) return;
  throw badParameter({ delete: `you can't use '-${key}' and -revert ${key}' at the same time` });
}

function demandDeletable(key: string, given: Config, revert: string[], isKnown: boolean): void {
  if (given[key] !== undefined) {
    throw badParameter({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
  }
  if (revert.includes(key)) {
    throw badParameter({ revert: `you can't use '-delete ${key}' and -revert ${key}' at the same time` });
  }
  if (!isKnown) throw badParameter({ delete: `unknown option '${key}'` });
}

function demandHookScript({ cluster }: CallContext, node: string, set: Config): void {
  const volid = set["hookscript"];
  if (typeof volid !== "string") return;
  const { storage, name } = splitVolumeId(volid);
  const kind = contentOf(findStorage(cluster, storage), name);
  const problem =
    kind === "snippets"
      ? findVolume(cluster, volid, node)
        ? undefined
        : `script '${volid}' does not exist\n`
      : `'${volid}' is not in the snippets directory\n`;
  if (problem !== undefined) throw badParameter({ hookscript: problem });
}

/** The server runs ssh-keygen over each key. */
export function demandSshKeys(config: Config): void {
  const keys = decodeURIComponent(String(config["sshkeys"] ?? ""))
    .split("\n")
    .filter((key) => key.trim() !== "" && !key.startsWith("#"));
  const isKey = (key: string) =>
    /^(?:\S+\s+)?(?:ssh-|ecdsa-|sk-)\S+\s+AAAA[A-Za-z0-9+/]+=*(?:\s|$)/.test(key);
  if (!keys.every(isKey)) throw refusal("SSH public key validation error");
}
