import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { inBatches } from "../lib/index.ts";
import type { BackupPart } from "./pack-backup.ts";

/** A part that waits on disk for its turn. */
export interface SpooledPart extends BackupPart, AsyncDisposable {}

const readBytes = 1024 * 1024;
const writeBytes = 1024 * 1024;
const cipher = "aes-256-gcm";

/**
 * Lays down what comes, so that its size and hash are known before it is packed. The file is encrypted with a key that only
 * this process has, and loses its name as soon as it is open: however the process ends, nothing readable stays behind.
 */
export async function spoolPart(
  name: string,
  content: AsyncIterable<Uint8Array>,
  folder: string,
  onReceived: (bytes: number) => void = () => undefined,
): Promise<SpooledPart> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `.backup-${randomBytes(6).toString("hex")}.spool`);
  const handle = await fs.open(file, "wx+", 0o600);
  // Windows keeps the name of an open file.
  const isNameless = await fs.rm(file).then(
    () => true,
    () => false,
  );
  const close = async (): Promise<void> => {
    await handle.close();
    if (!isNameless) await fs.rm(file, { force: true });
  };
  const secret = { key: randomBytes(32), nonce: randomBytes(12) };
  try {
    const hash = createHash("sha256");
    const sealing = createCipheriv(cipher, secret.key, secret.nonce);
    let sizeBytes = 0;
    for await (const piece of inBatches(content, writeBytes)) {
      hash.update(piece);
      await handle.appendFile(sealing.update(piece));
      sizeBytes += piece.length;
      onReceived(sizeBytes);
    }
    sealing.final();
    const tag = sealing.getAuthTag();
    const read = () => readSpool(handle, sizeBytes, { ...secret, tag });
    const part = { name, sizeBytes, sha256: hash.digest("hex"), isProven: true as const, read };
    return { ...part, [Symbol.asyncDispose]: close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function* readSpool(
  handle: FileHandle,
  sizeBytes: number,
  { key, nonce, tag }: { key: Buffer; nonce: Buffer; tag: Buffer },
): AsyncGenerator<Uint8Array> {
  const opening = createDecipheriv(cipher, key, nonce).setAuthTag(tag);
  const buffer = Buffer.allocUnsafe(readBytes);
  for (let at = 0; at < sizeBytes;) {
    const { bytesRead } = await handle.read(buffer, 0, readBytes, at);
    if (bytesRead === 0) throw new Error("the spooled file was cut");
    at += bytesRead;
    yield opening.update(buffer.subarray(0, bytesRead));
  }
  // Throws when the disk has not given back what it was given.
  opening.final();
}

/** A file of this machine as a part; what changes meanwhile is noticed when it is packed. */
export async function filePart(name: string, file: string): Promise<BackupPart> {
  const read = () => readFile(file);
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const piece of read()) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { name, sizeBytes, sha256: hash.digest("hex"), read };
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  const handle = await fs.open(file, "r");
  try {
    yield* handle.createReadStream({
      highWaterMark: readBytes,
      autoClose: false,
    }) as AsyncIterable<Uint8Array>;
  } finally {
    await handle.close();
  }
}
