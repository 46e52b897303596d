import { asNumber, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { Task } from "../task.ts";
import type { MachineConfig, MachineRef } from "./machines.ts";

/** A backup of a whole machine. */
export interface MachineArchive {
  /** `nas:backup/vzdump-qemu-101-2026_07_14-09_31_02.vma.zst`, `pbs:backup/vm/101/2026-07-14T09:31:02Z`. */
  volume: string;
  /** The number its machine had. */
  vmid: number;
  /** Seconds since 1970. */
  takenAt: number;
  sizeBytes: number;
  notes: string;
}

export interface BackupCalls {
  /** Backups of machines on a storage that may be seen, oldest first. */
  archives(node: string, storage: string, signal?: AbortSignal): Promise<MachineArchive[]>;
  /** A copy of all its disks; a machine that runs goes on. What the storage keeps of older ones is its own business. */
  backUpMachine(
    machine: MachineRef,
    to: { storage: string; notes: string },
    signal?: AbortSignal,
  ): Promise<Task>;
  /** The configuration of the machine that is in a backup. */
  archivedConfig(node: string, volume: string, signal?: AbortSignal): Promise<MachineConfig>;
}

export const backupCalls = (call: Call, start: Call<Task>): BackupCalls => ({
  archives: async (node, storage, signal) => {
    const doing = `list backups on storage ${storage}`;
    const params = { node, storage, content: "backup" };
    const data = await call("GET /nodes/{node}/storage/{storage}/content", doing, params, signal);
    return (
      asRecords(data)
        // Containers have backups too.
        .filter((volume) => asText(volume["subtype"]) === "qemu" || isOfMachine(asText(volume["volid"])))
        .map((volume) => ({
          volume: asText(volume["volid"]),
          vmid: asNumber(volume["vmid"]),
          takenAt: asNumber(volume["ctime"]),
          sizeBytes: asNumber(volume["size"]),
          notes: asText(volume["notes"]).trim(),
        }))
        .toSorted((a, b) => a.takenAt - b.takenAt || a.volume.localeCompare(b.volume))
    );
  },

  backUpMachine: ({ node, vmid }, { storage, notes }, signal) => {
    const doing = `back machine ${vmid} up to storage ${storage}`;
    const params = {
      node,
      vmid: String(vmid),
      storage,
      mode: "snapshot",
      compress: "zstd",
      "notes-template": notes,
    } as const;
    return start("POST /nodes/{node}/vzdump", doing, params, signal);
  },

  archivedConfig: async (node, volume, signal) => {
    const doing = `read backup ${volume}`;
    const data = await call("GET /nodes/{node}/vzdump/extractconfig", doing, { node, volume }, signal);
    return parseConfigFile(asText(data));
  },
});

const isOfMachine = (volume: string): boolean => /:backup\/(?:vzdump-qemu-|vm\/)/.test(volume);

/** `key: value` per line up to the first section, which is of a snapshot; notes stand behind a sign, encoded. */
export function parseConfigFile(text: string): MachineConfig {
  const [current = ""] = text.split(/^\[/m);
  const lines = current.split("\n");
  const notes = lines.filter((line) => line.startsWith("#") && !line.startsWith("#qmdump#"));
  const settings = lines.flatMap((line): [string, string][] => {
    const [, key = "", value = ""] = /^([a-z][\w-]*):\s*(.*?)\s*$/i.exec(line) ?? [];
    return key === "" ? [] : [[key, value]];
  });
  return {
    ...Object.fromEntries(settings),
    ...(notes.length > 0 && { description: notes.map((line) => decodeNotes(line.slice(1))).join("\n") }),
  };
}

/** A sign that is no encoding stays: notes may be written by anybody. */
const decodeNotes = (line: string): string =>
  Buffer.from(
    line.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8");
