import { z } from "zod";
import { notABackup, olderFormat, tooNewFormat } from "./errors.ts";

/** What every archive of ours says of itself. */
const format = "slipway/backup";
export const formatVersion = 1;

/** Names of the two files of an archive, and of the one that binds them together, within the payload. */
export const contentsName = "contents.json";
export const payloadName = "payload.tar.age";
export const bindingName = "contents.sha256";

const member = z.object({
  /** Where it lies in the payload: `etcd/snapshot.db`, `secrets/secrets.yaml`, `file/cluster.yaml`. */
  name: z.string().refine(isSafeName),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const machine = z.object({
  node: z.string(),
  role: z.string(),
  address: z.string(),
  /** As the cluster file names it. */
  host: z.string().optional(),
  /** The number of its machine on the hypervisor, where it has one. */
  id: z.int().optional(),
});

const volume = z.object({
  /** The machine it belongs to; absent for one that was kept when its machine went. */
  node: z.string().optional(),
  name: z.string(),
  sizeGiB: z.number(),
  host: z.string().optional(),
});

const contents = z.object({
  format: z.literal(format),
  version: z.literal(formatVersion),
  cluster: z.string(),
  madeAt: z.iso.datetime(),
  /** The Slipway that made it. */
  slipway: z.string(),
  /** By its name in the cluster file, and the versions that ran: `{ talos: "1.13.9", kubernetes: "1.36.3" }`. */
  distribution: z.string(),
  versions: z.record(z.string(), z.string()),
  /** The database of the cluster, and the node it was taken from. */
  snapshot: z.object({ member: z.string(), node: z.string() }).optional(),
  /** The cluster file, or the folder of files: what `-f` is given after the members below `file/` are unpacked. */
  file: z.string(),
  /** Files the cluster file refers to, as it writes them, and where they lie in the payload. */
  files: z.array(z.object({ path: z.string(), member: z.string() })),
  /** What the cluster file refers to and no archive can hold: `$PROXMOX_TOKEN`, a command. Names only. */
  needs: z.array(z.string()),
  machines: z.array(machine),
  volumes: z.array(volume),
  members: z.array(member),
});

/** The table of contents of an archive: readable by everybody, and without a secret. */
export type BackupContents = z.output<typeof contents>;
export type BackupMember = z.output<typeof member>;
/** What the maker of an archive says about it; the rest follows from its parts. */
export type BackupFacts = Omit<BackupContents, "format" | "version" | "members">;

export const describeContents = (facts: BackupFacts, members: BackupMember[]): BackupContents => ({
  format,
  version: formatVersion,
  ...facts,
  members,
});

/** As JSON, filled up with blanks to so many bytes. */
export function contentsText(described: BackupContents, sizeBytes = 0): string {
  const text = JSON.stringify(described, null, 2);
  return `${text}${" ".repeat(Math.max(0, sizeBytes - Buffer.byteLength(text) - 1))}\n`;
}

/** Throws when it is no table of ours, or of a format that is not understood here. */
export function parseContents(text: string, source: string): BackupContents {
  const data = readJson(text);
  const head = z.object({ format: z.literal(format), version: z.int() }).safeParse(data);
  if (!head.success) throw notABackup({ source, why: `its ${contentsName} is not of slipway` });
  const { version } = head.data;
  if (version > formatVersion) throw tooNewFormat({ source, version, known: formatVersion });
  if (version < formatVersion) throw olderFormat({ source, version, known: formatVersion });
  const parsed = contents.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw notABackup({ source, why: `"${issue?.path.join(".")}" of its ${contentsName} is wrong or missing` });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Unpacked in a folder, it stays in that folder. */
export function isSafeName(name: string): boolean {
  const parts = name.split("/");
  return (
    /^[\x20-\x7e]+$/.test(name) &&
    !name.includes("\\") &&
    parts.every((part) => !["", ".", ".."].includes(part))
  );
}
