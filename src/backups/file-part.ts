import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import type { BackupPart } from "./pack-backup.ts";

const readBytes = 1024 * 1024;

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
