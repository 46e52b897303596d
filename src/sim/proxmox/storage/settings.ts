import { unlessEmpty } from "../../../lib/index.ts";
import type { DatacenterStorage } from "../../datacenter-file.ts";
import { refusal } from "../api-error.ts";
import { splitList } from "../parameters/formats.ts";
import type { SimStorage } from "../state.ts";

/** How a setting of a type of storage stands: `fixed` ones are given once, at the start. */
type Rule = "required fixed" | "optional";

const everywhere = "nodes disable content shared bwlimit";
const ofFiles = `${everywhere} content-dirs maxfiles prune-backups max-protected-backups format mkdir create-base-path create-subdirs preallocation snapshot-as-volume-chain`;

const kinds: Partial<Record<string, { fixed: string; optional: string }>> = {
  dir: { fixed: "path", optional: `${ofFiles} is_mountpoint` },
  btrfs: { fixed: "path", optional: `${ofFiles} is_mountpoint nocow` },
  nfs: { fixed: "server export", optional: `${ofFiles} path options` },
  cifs: {
    fixed: "server share",
    optional: `${ofFiles} path options username password domain smbversion subdir`,
  },
  cephfs: { fixed: "", optional: `${ofFiles} path monhost username keyring fuse fs-name subdir options` },
  lvm: {
    fixed: "vgname",
    optional: `${everywhere} base saferemove saferemove_throughput saferemove-stepsize tagged_only snapshot-as-volume-chain`,
  },
  lvmthin: { fixed: "vgname thinpool", optional: everywhere },
  zfspool: { fixed: "pool", optional: `${everywhere} blocksize sparse mountpoint` },
  rbd: {
    fixed: "",
    optional: `${everywhere} pool monhost username keyring krbd data-pool namespace authsupported`,
  },
  pbs: {
    fixed: "server datastore",
    optional: `${everywhere} namespace username password fingerprint port encryption-key prune-backups max-protected-backups`,
  },
};

function ruleOf(type: string, key: string): Rule | undefined {
  const kind = kinds[type];
  if (kind?.fixed.split(" ").includes(key)) return "required fixed";
  return kind?.optional.split(" ").includes(key) ? "optional" : undefined;
}

export type Settings = Record<string, string | number>;

/** Holds settings against those of the type; throws the server's words for the first that is wrong. */
export function demandSettings(type: string, settings: Settings, isNew: boolean): void {
  for (const key of Object.keys(settings)) {
    const rule = ruleOf(type, key);
    if (!isNew && rule?.endsWith("fixed")) {
      throw refusal(`can't change value of fixed parameter '${key}'`);
    }
    if (rule === undefined) throw refusal(`unexpected property '${key}'`);
  }
  const content = splitList(String(settings["content"] ?? ""));
  if (content.includes("none") && content.length > 1) {
    throw refusal("unable to combine 'none' with other content types");
  }
  if (!isNew) return;
  const missing = kinds[type]?.fixed.split(" ").find((key) => key !== "" && settings[key] === undefined);
  if (missing !== undefined) throw refusal(`missing value for required option '${missing}'`);
  if (type === "dir" && !/^\/[-/a-zA-Z0-9_.]+$/.test(String(settings["path"]))) {
    throw refusal(`illegal path for directory storage: ${settings["path"]}`);
  }
}

/** The same for settings that are to go. */
export function demandDeletable(type: string, keys: readonly string[], set: Settings): void {
  for (const key of keys) {
    const rule = ruleOf(type, key);
    if (rule === undefined) throw refusal(`no such option '${key}'`);
    if (rule !== "optional") throw refusal(`unable to delete required option '${key}'`);
    if (set[key] !== undefined) throw refusal(`cannot set and delete property '${key}' at the same time!`);
  }
}

/** Storages that others see too, whatever is set. */
const networkTypes = new Set(["nfs", "cifs", "rbd", "cephfs", "pbs"]);
const contentKinds = ["images", "rootdir", "iso", "vztmpl", "backup", "snippets", "import"] as const;

/** What a storage holds if nobody says so; those that are not named here hold disks of any kind of guest. */
const heldAtFirst: Partial<Record<string, string>> = {
  lvm: "images",
  nfs: "images",
  cifs: "images",
  rbd: "images",
  pbs: "backup",
  cephfs: "backup",
};

/** A storage as the simulator works with it, made of its settings. */
export function storageFrom(
  type: DatacenterStorage["type"],
  settings: Settings,
  sizeBytes: number,
): SimStorage {
  const content = splitList(String(settings["content"] ?? heldAtFirst[type] ?? "images,rootdir"));
  const nodes = splitList(String(settings["nodes"] ?? ""));
  return {
    type,
    size: sizeBytes,
    content: contentKinds.filter((kind) => content.includes(kind)),
    shared: networkTypes.has(type) || settings["shared"] === 1,
    isDisabled: settings["disable"] === 1,
    settings,
    path: typeof settings["path"] === "string" ? settings["path"] : undefined,
    nodes: unlessEmpty(nodes),
  };
}
