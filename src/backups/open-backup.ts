import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readBody, BodyTooLargeError, streamTar, TarError, type StreamedFile } from "../lib/index.ts";
import { AgeStreamError, openAgeStream, type AgeKeys } from "../secrets/index.ts";
import { diskText, SlipwayError } from "../errors/index.ts";
import {
  bindingName,
  contentsName,
  parseContents,
  payloadName,
  type BackupContents,
  type BackupMember,
} from "./contents.ts";
import {
  backupCut,
  backupLocked,
  backupTampered,
  backupUnreadable,
  notABackup,
  snapshotUnsound,
} from "./errors.ts";
import { bindingText } from "./pack-backup.ts";
import { SnapshotProof } from "./snapshot-proof.ts";

/** Where an archive is read from, as often as need be. */
export interface BackupSource {
  /** As messages name it. */
  name: string;
  read(): AsyncIterable<Uint8Array>;
}

export interface OpenedMember extends BackupMember {
  /** As it comes; throws at its end when it is no longer what was checked. */
  read(): AsyncGenerator<Uint8Array>;
  /** All of it, for members that fit into memory. */
  text(): Promise<string>;
}

/** An archive that was read to its end, and found to be whole and unchanged. */
export interface OpenedBackup {
  contents: BackupContents;
  members: OpenedMember[];
  /** Throws when there is none of that name. */
  member(name: string): OpenedMember;
}

const mostContentsBytes = 16 * 1024 * 1024;

export const fileSource = (file: string): BackupSource => ({
  name: file,
  read: () => createReadStream(file, { highWaterMark: 1024 * 1024 }),
});

/** The table of contents alone. Nobody has vouched for it: only `openBackup` tells whether it is the archive's own. */
export async function readContents(source: BackupSource): Promise<BackupContents> {
  return explaining(source, async () => {
    for await (const file of streamTar(source.read())) return (await readTable(file, source)).contents;
    throw notABackup({ source: source.name, why: "it is empty" });
  });
}

/** Opens an archive with one of `keys`, and proves all of it before anything of it is given out. */
export async function openBackup(
  source: BackupSource,
  keys: AgeKeys,
  onRead: (bytes: number) => void = () => undefined,
): Promise<OpenedBackup> {
  return explaining(source, async () => {
    let contents: BackupContents | undefined;
    for await (const found of membersOf(counted(source, onRead), keys)) {
      contents = found.contents;
      await prove(found, source);
    }
    if (!contents) throw notABackup({ source: source.name, why: "nothing is in it" });
    const members = contents.members.map((each) => openedMember(each, source, keys));
    return {
      contents,
      members,
      member(name) {
        const found = members.find((each) => each.name === name);
        if (!found) throw notABackup({ source: source.name, why: `it has no "${name}"` });
        return found;
      },
    };
  });
}

const openedMember = (member: BackupMember, source: BackupSource, keys: AgeKeys): OpenedMember => ({
  ...member,
  read: () => readMember(member, source, keys),
  async text() {
    const parts: Uint8Array[] = [];
    for await (const part of readMember(member, source, keys)) parts.push(part);
    return Buffer.concat(parts).toString("utf8");
  },
});

async function* readMember(
  member: BackupMember,
  source: BackupSource,
  keys: AgeKeys,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const found of membersOf(source, keys)) {
      if (found.member.name !== member.name) continue;
      const hash = createHash("sha256");
      for await (const part of found.bytes) {
        hash.update(part);
        yield part;
      }
      if (hash.digest("hex") !== member.sha256) break;
      return;
    }
  } catch (thrown) {
    throw explained(thrown, source);
  }
  throw changed(source, member.name);
}

interface FoundMember {
  contents: BackupContents;
  member: BackupMember;
  bytes: AsyncIterable<Uint8Array>;
}

/** The members in their order, once it is sure that the table of contents belongs to them. None more, none fewer. */
async function* membersOf(source: BackupSource, keys: AgeKeys): AsyncGenerator<FoundMember> {
  let table: { contents: BackupContents; sha256: string } | undefined;
  let isThere = false;
  for await (const file of streamTar(source.read())) {
    if (!table) {
      table = await readTable(file, source);
    } else if (file.name === payloadName && !isThere) {
      isThere = true;
      yield* payloadMembers(file, table, source, keys);
    } else throw backupTampered({ source: source.name, why: `"${file.name}" does not belong into it` });
  }
  if (table && !isThere) throw backupCut({ source: source.name, why: `its ${payloadName} is missing` });
}

async function* payloadMembers(
  file: StreamedFile,
  { contents, sha256 }: { contents: BackupContents; sha256: string },
  source: BackupSource,
  keys: AgeKeys,
): AsyncGenerator<FoundMember> {
  const content = await openAgeStream(file.bytes, keys);
  if (!content) throw backupLocked({ source: source.name, places: keys.places });
  const expected = contents.members.values();
  let isBound = false;
  for await (const { name, sizeBytes, bytes } of streamTar(content)) {
    if (!isBound) {
      const text = name === bindingName ? (await readBody(bytes, 1024)).toString("utf8") : "";
      if (text !== bindingText(sha256))
        throw backupTampered({
          source: source.name,
          why: `its ${contentsName} is not the one it was made with`,
        });
      isBound = true;
      continue;
    }
    const { value: member } = expected.next();
    if (!member || member.name !== name || member.sizeBytes !== sizeBytes)
      throw backupTampered({ source: source.name, why: `"${name}" is not as its ${contentsName} says` });
    yield { contents, member, bytes };
  }
  const { value: missing } = expected.next();
  if (missing || !isBound)
    throw backupTampered({ source: source.name, why: `"${missing?.name ?? bindingName}" is missing` });
}

/** Length and hash of a member, and of a snapshot what etcd itself would look at. */
async function prove({ contents, member, bytes }: FoundMember, source: BackupSource): Promise<void> {
  const proof = new SnapshotProof();
  for await (const part of bytes) proof.update(part);
  if (proof.sha256() !== member.sha256) throw changed(source, member.name);
  const why = contents.snapshot?.member === member.name ? proof.trouble() : undefined;
  if (why !== undefined) throw snapshotUnsound({ source: source.name, why: `it is ${why}` });
}

const changed = (source: BackupSource, name: string): SlipwayError =>
  backupTampered({ source: source.name, why: `"${name}" does not match its hash` });

async function readTable(
  file: StreamedFile,
  source: BackupSource,
): Promise<{ contents: BackupContents; sha256: string }> {
  if (file.name !== contentsName)
    throw notABackup({ source: source.name, why: `it does not begin with ${contentsName}` });
  const bytes = await readBody(file.bytes, mostContentsBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { contents: parseContents(bytes.toString("utf8"), source.name), sha256 };
}

const counted = (source: BackupSource, onRead: (bytes: number) => void): BackupSource => ({
  name: source.name,
  async *read() {
    for await (const part of source.read()) {
      onRead(part.length);
      yield part;
    }
  },
});

/** What the layers below say, in the words of people who have a backup in their hands. */
async function explaining<T>(source: BackupSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw explained(thrown, source);
  }
}

function explained(thrown: unknown, { name: source }: BackupSource): SlipwayError {
  if (thrown instanceof SlipwayError) return thrown;
  if (thrown instanceof AgeStreamError)
    return backupTampered({ source, why: `its ${payloadName}: ${thrown.message}` });
  if (thrown instanceof BodyTooLargeError)
    return notABackup({ source, why: `its ${contentsName} is too large` });
  if (!(thrown instanceof TarError))
    return backupUnreadable({ source, why: diskText(thrown), cause: thrown });
  const why = thrown.message;
  return why === "it is cut short" ? backupCut({ source, why }) : notABackup({ source, why });
}
