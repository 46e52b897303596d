import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { ByteReader, whileTimeStands, type Random } from "../../lib/index.ts";
import { addReaders, isNoMatch, loadAge, type Readers } from "./age-file.ts";
import type { AgeKeys } from "./file-key.ts";

/**
 * age files too large for memory, in age's binary form. The header is the library's; the content is encrypted here, with the
 * cipher of OpenSSL, which is several times as fast as the library's own.
 */
export const agePieceBytes = 64 * 1024;
const tagBytes = 16;
/** What a piece takes in the file. */
export const sealedPieceBytes = agePieceBytes + tagBytes;
const nonceBytes = 16;
/** A header has a few hundred bytes for each reader. */
const mostHeaderBytes = 1024 * 1024;

export interface AgeSealing {
  /** What the file begins with; its pieces come behind it. */
  head: Buffer;
  /** How large the file will be. */
  sizeBytes(contentBytes: number): number;
  /** One piece by its number, in whatever order: bytes that stand one behind the other. Each can be made once. */
  piece(bytes: Uint8Array, number: number, isLast: boolean): Buffer[];
}

/** The file was changed, cut, or was never one of age. */
export class AgeStreamError extends Error {
  override readonly name = "AgeStreamError";
}

/** Prepares one file for its readers. It can be written once: a second content under the same key would give both away. */
export async function sealAge(readers: Readers, random: Random): Promise<AgeSealing> {
  const { header, fileKey } = await newHeader(readers, random);
  const nonce = random.bytes(nonceBytes);
  const key = contentKey(fileKey, nonce);
  const head = Buffer.concat([header, nonce]);
  const made = new Set<number>();
  return {
    head,
    sizeBytes: (contentBytes) =>
      head.length + contentBytes + tagBytes * Math.max(1, Math.ceil(contentBytes / agePieceBytes)),
    piece(bytes, number, isLast) {
      if (made.has(number)) throw new Error("a piece of age is made once");
      made.add(number);
      const sealing = createCipheriv(cipher, key, pieceNonce(number, isLast), options);
      const content = sealing.update(bytes);
      sealing.final();
      return [content, sealing.getAuthTag()];
    },
  };
}

/** The content as it comes; undefined when none of the keys fits. Each piece is proven before it is given out, the end too. */
export async function openAgeStream(
  file: AsyncIterable<Uint8Array>,
  keys: AgeKeys,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const reader = new ByteReader(file);
  const header = await readHeader(reader);
  const fileKey = await fileKeyIn(header, keys);
  if (!fileKey) return undefined;
  return openPieces(reader, contentKey(fileKey, await reader.exactly(nonceBytes)));
}

/** A reader of our own sees the key that the library has made for the file, and takes no room in its header. */
async function newHeader(readers: Readers, random: Random): Promise<{ header: Buffer; fileKey: Uint8Array }> {
  const age = await loadAge();
  const encrypter = new age.Encrypter();
  addReaders(encrypter, readers, random, age);
  let fileKey: Uint8Array | undefined;
  encrypter.addRecipient({
    wrapFileKey(key) {
      fileKey = Uint8Array.from(key);
      return [];
    },
  });
  const empty = await whileTimeStands(() => encrypter.encrypt(new Uint8Array(0)));
  if (!fileKey) throw new Error("the age library made no key");
  return { header: Buffer.from(empty.subarray(0, -(nonceBytes + tagBytes))), fileKey };
}

/** Up to and with the line that ends it, `--- MAC`. */
async function readHeader(reader: ByteReader): Promise<Buffer> {
  const parts: Buffer[] = [];
  let line: number[] = [];
  for (let length = 0; length < mostHeaderBytes; length += 1) {
    const byte = await reader.exactly(1);
    parts.push(byte);
    line.push(byte[0] ?? 0);
    if (byte[0] !== 10) continue;
    if (Buffer.from(line.slice(0, 4)).toString("latin1") === "--- ") return Buffer.concat(parts);
    line = [];
  }
  throw new AgeStreamError("it is no file of age");
}

async function fileKeyIn(header: Buffer, keys: AgeKeys): Promise<Uint8Array | undefined> {
  const { Decrypter } = await loadAge();
  for await (const identity of keys.identities()) {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    try {
      return await whileTimeStands(() => decrypter.decryptHeader(new Uint8Array(header)));
    } catch (thrown) {
      if (!isNoMatch(thrown)) throw new AgeStreamError("its header was changed", { cause: thrown });
    }
  }
  return undefined;
}

const contentKey = (fileKey: Uint8Array, nonce: Uint8Array): Buffer =>
  Buffer.from(hkdfSync("sha256", fileKey, nonce, "payload", 32));

/** Eleven bytes that count, and one that says whether it is the last. */
function pieceNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

const cipher = "chacha20-poly1305";
const options = { authTagLength: tagBytes };

async function* openPieces(reader: ByteReader, key: Buffer): AsyncGenerator<Uint8Array> {
  try {
    for await (const { bytes, number, isLast } of inPieces(reader.upTo(Infinity), sealedPieceBytes))
      yield openPiece(key, number, isLast, bytes);
  } finally {
    await reader.close();
  }
}

function openPiece(key: Buffer, number: number, isLast: boolean, bytes: Uint8Array): Buffer {
  const isEmpty = bytes.length === tagBytes;
  if (bytes.length < tagBytes || (isEmpty && number > 0)) throw new AgeStreamError("it is cut short");
  const opening = createDecipheriv(cipher, key, pieceNonce(number, isLast), options);
  opening.setAuthTag(bytes.subarray(-tagBytes));
  const content = opening.update(bytes.subarray(0, -tagBytes));
  try {
    opening.final();
  } catch (cause) {
    throw new AgeStreamError(isLast ? "it is cut short, or its end was changed" : "it was changed", {
      cause,
    });
  }
  return content;
}

/**
 * Pieces of one size but for the last, which is known as such; one empty piece of nothing. The source gives new memory each
 * time; what lies whole in it is not copied.
 */
export async function* inPieces(
  source: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<{ bytes: Uint8Array; number: number; isLast: boolean }> {
  let [filled, number] = [0, 0];
  let piece: Uint8Array = new Uint8Array(0);
  for await (const part of source) {
    for (let at = 0; at < part.length;) {
      if (filled === sizeBytes) {
        yield { bytes: piece, number, isLast: false };
        [filled, number] = [0, number + 1];
      }
      const taken = part.subarray(at, at + sizeBytes - filled);
      if (taken.length === sizeBytes) piece = taken;
      else {
        if (filled === 0) piece = Buffer.allocUnsafeSlow(sizeBytes);
        piece.set(taken, filled);
      }
      filled += taken.length;
      at += taken.length;
    }
  }
  yield { bytes: piece.subarray(0, filled), number, isLast: true };
}
