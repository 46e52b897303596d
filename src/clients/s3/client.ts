import { allAt, element, textAt, writeXml, type XmlElement } from "../../lib/index.ts";
import { makeCall, type S3Options } from "./call.ts";
import { s3Cut } from "./errors.ts";

/** Something in a bucket. */
export interface S3Object {
  key: string;
  sizeBytes: number;
  changedAt: number;
}

/** All that is asked of a bucket. */
export type S3Client = ReturnType<typeof connectS3>;

/** The smallest that servers take is 5 MiB, and the most is 10 000 parts: 160 GiB in all. */
const usualPartBytes = 16 * 1024 ** 2;

/** Nothing is dialled until the first call, and no connection is kept: each call says who asks. */
export function connectS3(options: S3Options & { partBytes?: number }) {
  const { ask, open, base } = makeCall(options);
  const { partBytes = usualPartBytes } = options;

  async function uploadParts(
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

  return {
    /** Where it is, for people. */
    base,

    /** Streams it there in constant memory. It has its name only when all of it is there. */
    async upload(
      key: string,
      content: AsyncIterable<Uint8Array>,
      onSent: (bytes: number) => void = () => undefined,
      signal?: AbortSignal,
    ): Promise<void> {
      const parts = inParts(content, partBytes)[Symbol.asyncIterator]();
      const first = await parts.next();
      const body = first.done ? new Uint8Array(0) : first.value;
      if (body.length === partBytes) {
        await uploadParts(key, startingWith(body, parts), onSent, signal);
        return;
      }
      await ask({ method: "PUT", key, body, doing: `write "${key}"` }, signal);
      onSent(body.length);
    },

    /** As it comes, from its first byte; whoever has enough just stops. */
    async *read(key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
      const doing = `read "${key}"`;
      const answer = await open({ method: "GET", key, doing }, signal);
      const leave = (): void => void answer.destroy();
      signal?.addEventListener("abort", leave, { once: true });
      try {
        yield* answer as AsyncIterable<Uint8Array>;
      } catch (cause) {
        signal?.throwIfAborted();
        throw s3Cut({ doing, base, cause });
      } finally {
        signal?.removeEventListener("abort", leave);
        answer.destroy();
      }
    },

    /** Everything whose name begins so, in the order of names. */
    async list(prefix: string, signal?: AbortSignal): Promise<S3Object[]> {
      const found: S3Object[] = [];
      for (let from: string | undefined; ;) {
        const query = {
          "list-type": "2",
          prefix,
          ...(from !== undefined && { "continuation-token": from }),
        };
        const { xml } = await ask({ method: "GET", query, doing: `list "${prefix}"` }, signal);
        found.push(...allAt(xml, "Contents").map(objectIn));
        from = textAt(xml, "IsTruncated") === "true" ? textAt(xml, "NextContinuationToken") : undefined;
        if (from === undefined) return found;
      }
    },

    async remove(key: string, signal?: AbortSignal): Promise<void> {
      await ask({ method: "DELETE", key, doing: `remove "${key}"` }, signal);
    },

    /** Takes away the parts of uploads that began before a time and never ended. */
    async abandon(prefix: string, before: number, signal?: AbortSignal): Promise<void> {
      const doing = `look for unfinished uploads of "${prefix}"`;
      const { xml } = await ask({ method: "GET", query: { uploads: "", prefix }, doing }, signal);
      for (const upload of allAt(xml, "Upload")) {
        const [key, uploadId] = [textAt(upload, "Key"), textAt(upload, "UploadId")];
        const begun = Date.parse(textAt(upload, "Initiated") ?? "");
        if (key?.startsWith(prefix) && uploadId !== undefined && begun < before)
          await ask({ method: "DELETE", key, query: { uploadId }, doing }, signal);
      }
    },
  };
}

const objectIn = (found: XmlElement): S3Object => ({
  key: textAt(found, "Key") ?? "",
  sizeBytes: Number(textAt(found, "Size")),
  changedAt: Date.parse(textAt(found, "LastModified") ?? ""),
});

const completion = (etags: string[]) =>
  element(
    "CompleteMultipartUpload",
    { xmlns: "http://s3.amazonaws.com/doc/2006-03-01/" },
    etags.map((etag, index) =>
      element("Part", {}, [element("PartNumber", {}, index + 1), element("ETag", {}, etag)]),
    ),
  );

/** Pieces of one size but for the last, in one buffer: each is sent before the next is filled. */
async function* inParts(content: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array> {
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

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
