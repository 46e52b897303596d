import { createHash } from "node:crypto";
import { inBatches, tarBlock, tarHeader, tarPadding, type Random } from "../lib/index.ts";
import { sealAge, type Readers } from "../secrets/index.ts";
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

/** One file of the payload. Size and hash are known before it is written, and what is written is held against them. */
export interface BackupPart extends BackupMember {
  /** Reading it fails by itself when it is no longer what it was. */
  isProven?: true;
  read(): AsyncIterable<Uint8Array>;
}

export interface PackedBackup {
  contents: BackupContents;
  /** Of the whole archive, known before its first byte is made. */
  sizeBytes: number;
  /** The archive, made as it is read. Can be read once. */
  bytes(): AsyncGenerator<Uint8Array>;
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

/**
 * An archive of these parts: a tar of the table of contents and of the payload, which is a tar encrypted to `readers`. The
 * hash of the table stands in the payload, so neither can be changed or exchanged without the other.
 */
export async function packBackup(
  facts: BackupFacts,
  parts: BackupPart[],
  readers: Readers,
  random: Random,
): Promise<PackedBackup> {
  const unsafe = parts.find(({ name }) => !isSafeName(name));
  if (unsafe) throw new Error(`"${unsafe.name}" is no name for a part of a backup`);
  // The large ones last, so that whoever wants a small one need not read past them.
  const ordered = parts.toSorted((a, b) => a.sizeBytes - b.sizeBytes);
  const contents = describeContents(
    facts,
    ordered.map(({ name, sizeBytes, sha256: hash }) => ({ name, sizeBytes, sha256: hash })),
  );
  const table = partOf(contentsName, contentsText(contents));
  const all = [partOf(bindingName, bindingText(table.sha256)), ...ordered];
  const sealing = await sealAge(readers, random);
  const payloadBytes = sealing.sizeBytes(tarBytes(all));
  const payload = { name: payloadName, sizeBytes: payloadBytes, read: () => sealing.seal(tarOf(all)) };
  return {
    contents,
    sizeBytes: tarBytes([table, payload]),
    bytes: () => inBatches(tarOf([table, payload]), batchBytes),
  };
}

/** As `sha256sum --check` reads it. */
export const bindingText = (hash: string): string => `${hash}  ${contentsName}\n`;

type TarPart = Pick<BackupPart, "name" | "sizeBytes" | "isProven" | "read"> & { sha256?: string };

const batchBytes = 1024 * 1024;

const tarBytes = (parts: TarPart[]): number =>
  parts.reduce((sum, { sizeBytes }) => sum + tarBlock + sizeBytes + tarPadding(sizeBytes), 2 * tarBlock);

async function* tarOf(parts: TarPart[]): AsyncGenerator<Uint8Array> {
  for (const { name, sizeBytes, sha256: known, isProven, read } of parts) {
    const expected = isProven ? undefined : known;
    yield tarHeader(name, sizeBytes, 0o600);
    const hash = createHash("sha256");
    let written = 0;
    for await (const piece of read()) {
      if (expected !== undefined) hash.update(piece);
      written += piece.length;
      yield piece;
    }
    if (written !== sizeBytes || (expected !== undefined && hash.digest("hex") !== expected))
      throw new Error(`"${name}" changed while it was written`);
    yield Buffer.alloc(tarPadding(sizeBytes));
  }
  yield Buffer.alloc(2 * tarBlock);
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
