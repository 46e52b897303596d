import { createHash } from "node:crypto";
import { tarBlock, tarHeader, tarPadding, type Random } from "../lib/index.ts";
import {
  agePieceBytes,
  inPieces,
  sealAge,
  sealedPieceBytes,
  type AgeSealing,
  type Readers,
} from "../secrets/index.ts";
import type { ArchiveFile } from "./archive-file.ts";
import {
  bindingName,
  contentsName,
  contentsText,
  describeContents,
  isSafeName,
  payloadName,
  type BackupContents,
  type BackupFacts,
  type BackupMember,
} from "./contents.ts";
import { SnapshotProof } from "./snapshot-proof.ts";

/** One file of the payload. Size and hash are known before it is written, and what is written is held against them. */
export interface BackupPart extends BackupMember {
  read(): AsyncIterable<Uint8Array>;
}

/** The one file of the payload that is as large as it turns out to be: the database of the cluster. */
export interface DatabasePart {
  name: string;
  content: AsyncIterable<Uint8Array>;
  /** Makes the error of a snapshot of etcd whose end shows that it is not whole. Without it, anything is taken. */
  broken?: (why: string) => Error;
}

export const partOf = (name: string, content: string | Uint8Array): BackupPart => {
  const bytes = Buffer.from(content);
  return {
    name,
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
    async *read() {
      yield bytes;
    },
  };
};

/** All that an archive is made of. */
export interface BackupInput {
  facts: BackupFacts;
  parts: BackupPart[];
  database?: DatabasePart | undefined;
}

/**
 * Writes an archive of these parts: a tar of the table of contents and of the payload, which is a tar encrypted to `readers`.
 * The hash of the table stands in the payload, so neither can be changed or exchanged without the other.
 *
 * The database is encrypted as it comes, straight into its place; what depends on its size and hash is written last, in front
 * of it. So all is read, encrypted and written once.
 */
export async function packBackup(
  { facts, parts, database }: BackupInput,
  readers: Readers,
  random: Random,
  file: ArchiveFile,
): Promise<BackupContents> {
  const unsafe = [...parts, ...(database ? [database] : [])].find(({ name }) => !isSafeName(name));
  if (unsafe) throw new Error(`"${unsafe.name}" is no name for a part of a backup`);
  // The large ones last, so that whoever wants a small one need not read past them.
  const ordered = parts.toSorted((a, b) => a.sizeBytes - b.sizeBytes);
  const tableOf = (found: BackupMember | undefined): BackupContents =>
    describeContents(
      facts,
      [...ordered, ...(found ? [found] : [])].map(({ name, sizeBytes, sha256: hash }) => ({
        name,
        sizeBytes,
        sha256: hash,
      })),
    );
  // No size has more digits than this one.
  const widest = database && { name: database.name, sizeBytes: Number.MAX_SAFE_INTEGER, sha256: noHash };
  const tableBytes = Buffer.byteLength(contentsText(tableOf(widest)));
  const payloadAt = tarBlock + tableBytes + tarPadding(tableBytes) + tarBlock;
  const sealing = await sealAge(readers, random);
  const frontParts = [partOf(bindingName, bindingText(noHash)), ...ordered];
  const frontBytes = tarBytes(frontParts) + (database ? tarBlock : 0);

  const back = await sealBack(database, frontBytes, sealing, file, payloadAt);
  const contents = tableOf(back.found);
  const table = partOf(contentsName, contentsText(contents, tableBytes));
  frontParts[0] = partOf(bindingName, bindingText(table.sha256));
  const front = frontOf(frontParts, back, sealing);
  await file.write(payloadAt, front);
  const payloadBytes = sealing.sizeBytes(frontBytes + back.sizeBytes);
  await file.write(0, inOne(tarOf([table]), [tarHeader(payloadName, payloadBytes, 0o600)]));
  await file.write(payloadAt + payloadBytes, inOne(tarEnd(payloadBytes)));
  return contents;
}

/** As `sha256sum --check` reads it. */
export const bindingText = (hash: string): string => `${hash}  ${contentsName}\n`;

const noHash = "0".repeat(64);

/** What was sealed behind the front, and what is left to be sealed with it. */
interface SealedBack {
  found: BackupMember | undefined;
  /** Of the database and the end of the payload. */
  sizeBytes: number;
  /** What shares a piece with the end of the front. */
  joint: { bytes: Uint8Array; isLast: boolean };
}

async function sealBack(
  database: DatabasePart | undefined,
  frontBytes: number,
  sealing: AgeSealing,
  file: ArchiveFile,
  payloadAt: number,
): Promise<SealedBack> {
  const [whole, shared] = [Math.floor(frontBytes / agePieceBytes), frontBytes % agePieceBytes];
  const back: SealedBack = { found: undefined, sizeBytes: 0, joint: { bytes: noBytes, isLast: true } };
  async function* content(): AsyncGenerator<Uint8Array> {
    // In place of the front, which is not known yet.
    if (shared > 0) yield Buffer.alloc(shared);
    for await (const piece of backOf(database, (found) => (back.found = found))) {
      back.sizeBytes += piece.length;
      yield piece;
    }
  }
  async function* sealed(): AsyncGenerator<Uint8Array[]> {
    for await (const { bytes, number, isLast } of inPieces(content(), agePieceBytes)) {
      if (number === 0) back.joint = { bytes: Buffer.from(bytes.subarray(shared)), isLast };
      else yield sealing.piece(bytes, whole + number, isLast);
    }
  }
  await file.write(payloadAt + sealing.head.length + (whole + 1) * sealedPieceBytes, sealed());
  return back;
}

/** The content of the database, hashed and proven as it passes by, and how the payload ends. */
async function* backOf(
  database: DatabasePart | undefined,
  onFound: (found: BackupMember) => void,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  if (database) {
    const { name, content, broken } = database;
    const proof = new SnapshotProof();
    for await (const piece of content) {
      proof.update(piece);
      yield piece;
    }
    sizeBytes = proof.sizeBytes;
    onFound({ name, sizeBytes, sha256: proof.sha256() });
    const why = broken && proof.trouble();
    if (why !== undefined) throw broken?.(why);
  }
  yield* tarEnd(sizeBytes);
}

/** The header of age and all pieces up to the one that was shared. */
async function* frontOf(
  parts: BackupPart[],
  { found, joint }: SealedBack,
  sealing: AgeSealing,
): AsyncGenerator<Uint8Array[]> {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* tarOf(parts);
    if (found) yield tarHeader(found.name, found.sizeBytes, 0o600);
    yield joint.bytes;
  }
  yield [sealing.head];
  for await (const { bytes, number, isLast } of inPieces(content(), agePieceBytes))
    yield sealing.piece(bytes, number, isLast && joint.isLast);
}

const noBytes = new Uint8Array(0);

/** Without the blocks an archive ends with. */
const tarBytes = (parts: BackupPart[]): number =>
  parts.reduce((sum, { sizeBytes }) => sum + tarBlock + sizeBytes + tarPadding(sizeBytes), 0);

async function* tarOf(parts: BackupPart[]): AsyncGenerator<Uint8Array> {
  for (const { name, sizeBytes, sha256: expected, read } of parts) {
    yield tarHeader(name, sizeBytes, 0o600);
    const hash = createHash("sha256");
    let written = 0;
    for await (const piece of read()) {
      hash.update(piece);
      written += piece.length;
      yield piece;
    }
    if (written !== sizeBytes || hash.digest("hex") !== expected)
      throw new Error(`"${name}" changed while it was written`);
    yield Buffer.alloc(tarPadding(sizeBytes));
  }
}

/** What follows a last file of this size. */
const tarEnd = (sizeBytes: number): Uint8Array[] => [Buffer.alloc(tarPadding(sizeBytes) + 2 * tarBlock)];

async function* inOne(
  ...contents: (AsyncIterable<Uint8Array> | Uint8Array[])[]
): AsyncGenerator<Uint8Array[]> {
  for (const content of contents) for await (const piece of content) yield [piece];
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
