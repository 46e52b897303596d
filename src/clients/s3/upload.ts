import { allAt, element, textAt, writeXml } from "../../lib/index.ts";
import type { S3Call } from "./call.ts";

/** One after the other, as one object that appears when all of it is there; what fails leaves no parts behind. */
export async function uploadParts(
  { ask }: S3Call,
  key: string,
  parts: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const doing = `write "${key}"`;
  const { xml } = await ask({ method: "POST", key, query: { uploads: "" }, doing }, signal);
  const uploadId = textAt(xml, "UploadId") ?? "";
  try {
    const etags: string[] = [];
    for await (const body of parts) {
      const query = { partNumber: String(etags.length + 1), uploadId };
      etags.push((await ask({ method: "PUT", key, query, body, doing }, signal)).etag);
      onSent(body.length);
    }
    const body = Buffer.from(writeXml(completion(etags)));
    await ask({ method: "POST", key, query: { uploadId }, body, doing }, signal);
  } catch (thrown) {
    // Parts of what never became anything are paid for. Not with the signal, which may be why it ended.
    await ask({ method: "DELETE", key, query: { uploadId }, doing }).catch(() => undefined);
    throw thrown;
  }
}

/** Takes away the parts of uploads that began before a time and never ended. */
export async function abandonUploads(
  { ask }: S3Call,
  prefix: string,
  before: number,
  signal?: AbortSignal,
): Promise<void> {
  const doing = `look for unfinished uploads of "${prefix}"`;
  const { xml } = await ask({ method: "GET", query: { uploads: "", prefix }, doing }, signal);
  for (const upload of allAt(xml, "Upload")) {
    const [key, uploadId] = [textAt(upload, "Key"), textAt(upload, "UploadId")];
    const begun = Date.parse(textAt(upload, "Initiated") ?? "");
    if (key?.startsWith(prefix) && uploadId !== undefined && begun < before)
      await ask({ method: "DELETE", key, query: { uploadId }, doing }, signal);
  }
}

const completion = (etags: string[]) =>
  element(
    "CompleteMultipartUpload",
    { xmlns: "http://s3.amazonaws.com/doc/2006-03-01/" },
    etags.map((etag, index) =>
      element("Part", {}, [element("PartNumber", {}, index + 1), element("ETag", {}, etag)]),
    ),
  );

/** Pieces of one size but for the last, in one buffer: each is sent before the next is filled. */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(partBytes);
  let filled = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + partBytes - filled);
      buffer.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled < partBytes) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

export async function* startingWith(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
