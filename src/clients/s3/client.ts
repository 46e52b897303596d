import { allAt, textAt, type XmlElement } from "../../lib/index.ts";
import { makeCall, type S3Options } from "./call.ts";
import { s3Cut } from "./errors.ts";
import { abandonUploads, inParts, startingWith, uploadParts } from "./upload.ts";

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
  const call = makeCall(options);
  const { ask, open, base } = call;
  const { partBytes = usualPartBytes } = options;

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
        await uploadParts(call, key, startingWith(body, parts), onSent, signal);
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
    abandon: (prefix: string, before: number, signal?: AbortSignal): Promise<void> =>
      abandonUploads(call, prefix, before, signal),
  };
}

const objectIn = (found: XmlElement): S3Object => ({
  key: textAt(found, "Key") ?? "",
  sizeBytes: Number(textAt(found, "Size")),
  changedAt: Date.parse(textAt(found, "LastModified") ?? ""),
});
