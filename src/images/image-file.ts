import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { whileTimeStands } from "../lib/index.ts";
import { imageFileMissing, imageNotInFolder, imageNotUnpacked, unpackerMissing } from "./errors.ts";
import type { LocalImage } from "./factory/talos-image.ts";
import { packingOf, type Packing } from "./unpacking.ts";

/** How big an image is and what it is, once unpacked. */
export interface ImageMeasure {
  bytes: number;
  sha256: string;
}

/** The file of an image on this machine. */
export async function findImageFile(local: LocalImage, url: string): Promise<string> {
  if ("file" in local) {
    const isFile = await stat(local.file).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) throw imageFileMissing(local.file);
    return local.file;
  }
  for (const name of local.names) {
    const file = path.join(local.folder, name);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  throw imageNotInFolder({ folder: local.folder, name: local.names[0] ?? "", url });
}

/** Reads the whole image once, unpacking it on the way. */
export async function measureImage(file: string): Promise<ImageMeasure> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of readImage(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** The digest of the file as it lies there, packed or not. */
export async function fileDigest(file: string, algorithm: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** The content of an image file, unpacked. */
export async function* readImage(file: string): AsyncGenerator<Buffer> {
  const packing = packingOf(file);
  if (packing === undefined) yield* createReadStream(file) as AsyncIterable<Buffer>;
  else yield* whileTimeStandsStill(packing === "gz" ? gunzip(file) : unpackWith(unpackers[packing], file));
}

/** Other threads and programs unpack in real time, and nothing shows that they are at it. */
async function* whileTimeStandsStill(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const next = await whileTimeStands(() => source.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await source.return(undefined);
  }
}

async function* gunzip(file: string): AsyncGenerator<Buffer> {
  // Every look at a cluster file loads this module, and hardly one has an image to unpack.
  const { createGunzip } = await import("node:zlib");
  const source = createReadStream(file);
  const plain = createGunzip();
  source.once("error", (error) => plain.destroy(error));
  try {
    yield* source.pipe(plain) as AsyncIterable<Buffer>;
  } catch (error) {
    throw imageNotUnpacked({
      file,
      reason: error instanceof Error ? error.message : "not gzip",
      cause: error,
    });
  } finally {
    source.destroy();
  }
}

/** What this version of Node cannot unpack by itself, and the package that can. */
export const unpackers: Record<Exclude<Packing, "gz">, { program: string; package: string }> = {
  xz: { program: "xz", package: "xz-utils" },
  zst: { program: "zstd", package: "zstd" },
  bz2: { program: "bzip2", package: "bzip2" },
  lzo: { program: "lzop", package: "lzop" },
};

/** Throws with the way out when an image of that name could not be unpacked here. */
export async function demandUnpacker(file: string): Promise<void> {
  const packing = packingOf(file);
  if (packing === undefined || packing === "gz") return;
  const unpacker = unpackers[packing];
  const isThere = await new Promise<boolean>((resolve) => {
    const child = spawn(unpacker.program, ["--version"], { stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("close", () => resolve(true));
  });
  if (!isThere) throw unpackerMissing({ file, ...unpacker });
}

async function* unpackWith(
  unpacker: { program: string; package: string },
  file: string,
): AsyncGenerator<Buffer> {
  const child = spawn(unpacker.program, ["-dc", "--", file], { stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const ended = new Promise<number | Error>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code) => resolve(code ?? 1));
  });
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    const end = await ended;
    if (end instanceof Error) throw unpackerMissing({ file, ...unpacker });
    if (end !== 0) {
      throw imageNotUnpacked({
        file,
        reason: complaint.trim().split("\n")[0] || `${unpacker.program} failed`,
      });
    }
  } finally {
    // Nobody wants the rest.
    child.kill();
  }
}
