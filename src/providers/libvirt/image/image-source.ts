import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import {
  fileDigest,
  findImageFile,
  imageChecksumWrong,
  lentPieces,
  measureImage,
  packingOf,
  readImage,
  unpackStream,
  type LocalImage,
} from "../../../images/index.ts";
import { fetchImage, type FetchWay } from "./fetch-image.ts";

export interface ImageSource {
  file: string;
  url: string;
  checksum?: { algorithm: string; value: string } | undefined;
  /** Absent: it is fetched from `url`. */
  local?: LocalImage | undefined;
}

/** An image on its way to a host. */
export interface ImageStream {
  /** Unpacked; unknown where the server does not say it. */
  bytes?: number | undefined;
  /** Of what is read, for progress. */
  totalBytes?: number | undefined;
  /** Unpacked. Its end is reached only when the whole is what it should be. */
  content: AsyncIterable<Buffer>;
}

type Heard = (doneBytes: number) => void;

/** Opens the image, from this machine or from where it is offered. */
export async function openImage(
  want: ImageSource,
  way: FetchWay,
  heard: Heard,
  signal: AbortSignal,
): Promise<ImageStream> {
  if (want.local) return openFile(want, want.local, heard);
  const { body, totalBytes } = await fetchImage(want, way, signal);
  const packing = packingOf(want.url);
  const checked = verified(counted(body, heard), want);
  return {
    bytes: packing === undefined ? totalBytes : undefined,
    totalBytes,
    content: packing === undefined ? checked : unpackStream(checked, packing, want.url),
  };
}

async function openFile(want: ImageSource, local: LocalImage, heard: Heard): Promise<ImageStream> {
  const file = await findImageFile(local, want.url);
  if (want.checksum) {
    const { algorithm, value: needed } = want.checksum;
    const found = await fileDigest(file, algorithm);
    if (found !== needed.toLowerCase()) throw imageChecksumWrong({ file, algorithm, found, needed });
  }
  const isPacked = packingOf(file) !== undefined;
  const bytes = isPacked ? (await measureImage(file)).bytes : (await stat(file)).size;
  // An upload holds less of what it was given than may be lent to it.
  const content = isPacked ? readImage(file) : lentPieces(file);
  return { bytes, totalBytes: bytes, content: counted(content, heard) };
}

async function* counted(content: AsyncIterable<Buffer>, heard: Heard): AsyncGenerator<Buffer> {
  let done = 0;
  for await (const chunk of content) {
    yield chunk;
    heard((done += chunk.length));
  }
}

/** Throws behind the last byte when these were others than promised. */
async function* verified(content: AsyncIterable<Buffer>, want: ImageSource): AsyncGenerator<Buffer> {
  const { checksum, file } = want;
  const hash = checksum && createHash(checksum.algorithm);
  for await (const chunk of content) {
    hash?.update(chunk);
    yield chunk;
  }
  const found = hash?.digest("hex");
  if (checksum && found !== undefined && found !== checksum.value.toLowerCase())
    throw imageChecksumWrong({ file, algorithm: checksum.algorithm, found, needed: checksum.value });
}
