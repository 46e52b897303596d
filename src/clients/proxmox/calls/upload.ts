import { randomBytes } from "node:crypto";
import http from "node:http";
import { Readable } from "node:stream";
import { BodyTooLargeError } from "../../../lib/index.ts";
import { asText } from "../wire/answers.ts";
import type { Ending } from "../wire/connection.ts";
import { ownError, refusedBy, unwrap, type CallOptions } from "../wire/call.ts";
import { answerTooLarge, callTimedOut, unreachable, uploadChanged } from "../errors.ts";
import { endWith, readAnswer, type Answer } from "../wire/exchange.ts";
import type { ImageContent } from "./storages.ts";
import type { Follow, Task } from "../task.ts";

/** A disk image to be sent. What it is must be known before its first byte leaves. */
export interface ImageUpload {
  content: ImageContent;
  file: string;
  bytes: number;
  sha256: string;
  /** Its content from the beginning, exactly `bytes` long. */
  read(): AsyncIterable<Buffer>;
}

export interface UploadCalls {
  /** Sends an image. A file of that name is replaced. The task ends when it lies in the storage, checked. */
  uploadImage(
    node: string,
    storage: string,
    image: ImageUpload,
    onProgress: (sentBytes: number) => void,
    signal?: AbortSignal,
  ): Promise<Task>;
}

// An image takes as long as the line needs; what counts is that it moves.
const stallMs = 60_000;

export function uploadCalls(options: CallOptions, follow: Follow): UploadCalls {
  return {
    async uploadImage(node, storage, image, onProgress, signal) {
      const doing = `upload ${image.file} to storage ${storage} on ${node}`;
      const path = `/api2/json/nodes/${encodeURIComponent(node)}/storage/${encodeURIComponent(storage)}/upload`;
      const url = options.url.origin;
      const answer = await options.calls.remotely(() =>
        send(options, { path, doing, image, onProgress }, signal),
      );
      if (answer.status !== 200) throw refusedBy(answer, doing, options);
      return follow(asText(unwrap(answer, doing, url)), doing);
    },
  };
}

interface Sending {
  path: string;
  doing: string;
  image: ImageUpload;
  onProgress(sentBytes: number): void;
}

async function send(options: CallOptions, sending: Sending, outer: AbortSignal | undefined): Promise<Answer> {
  const { doing } = sending;
  const url = options.url.origin;
  const stalled = new AbortController();
  const watch = (): (() => void) =>
    options.clock.after(stallMs, () => stalled.abort(new Error("nothing moves")));
  let cancel = watch();
  const moved = (): void => {
    cancel();
    cancel = watch();
  };
  const signal = outer ? AbortSignal.any([outer, stalled.signal]) : stalled.signal;
  const startedAt = options.clock.now();
  const tell = (status: number) =>
    options.onCall?.({
      method: "POST",
      path: sending.path,
      status,
      ms: options.clock.now() - startedAt,
      attempt: 1,
    });
  try {
    const answer = await exchangeUpload(options, sending, signal, moved);
    tell(answer.status);
    return answer;
  } catch (thrown) {
    tell(0);
    outer?.throwIfAborted();
    if (thrown instanceof BodyTooLargeError) throw answerTooLarge({ doing, url, cause: thrown });
    if (stalled.signal.aborted) throw callTimedOut({ doing, url, limitMs: stallMs, cause: thrown });
    throw ownError(thrown) ?? unreachable({ doing, url, cause: thrown });
  } finally {
    cancel();
  }
}

/** An answer may come before the end of the file: then the rest is not sent. */
function exchangeUpload(
  options: CallOptions,
  { path, image, onProgress }: Sending,
  signal: AbortSignal,
  moved: () => void,
): Promise<Answer> {
  const boundary = `slipway-${randomBytes(16).toString("hex")}`;
  const head = Buffer.from(partsBefore(image, boundary));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return new Promise((resolve, reject) => {
    const outgoing: http.RequestOptions & Ending = {
      agent: options.connections,
      host: options.url.host,
      method: "POST",
      path,
      setHost: false,
      headers: {
        host: options.url.host,
        accept: "application/json",
        ...options.credentials,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        // Chunked bodies are answered with 501, so the length is told beforehand and must be true.
        "content-length": head.length + image.bytes + tail.length,
      },
      ending: signal,
    };
    const request = http.request(outgoing);
    const body = Readable.from(
      wholeBody(head, image, tail, (sent) => {
        moved();
        onProgress(sent);
      }),
      { objectMode: false },
    );
    const { end, finish } = endWith(request, signal, (error) => {
      body.destroy();
      reject(error);
    });
    request.once("response", (response) => {
      readAnswer(response).then((answer) => {
        body.destroy();
        // A connection with half a request on it is of no more use.
        if (!request.writableFinished) request.destroy();
        finish(() => resolve(answer));
      }, end);
    });
    body.once("error", (error) => request.destroy(error));
    body.pipe(request);
  });
}

/** The server reads the parts in this order only, each with Content-Disposition as its first header, the file last. */
const partsBefore = (image: ImageUpload, boundary: string): string =>
  [
    ...[
      ["content", image.content],
      ["checksum-algorithm", "sha256"],
      ["checksum", image.sha256],
    ].map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}\r\nContent-Disposition: form-data; name="filename"; filename="${image.file}"\r\n`,
    "Content-Type: application/octet-stream\r\n\r\n",
  ].join("");

async function* wholeBody(
  head: Buffer,
  image: ImageUpload,
  tail: Buffer,
  sent: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  yield head;
  let bytes = 0;
  for await (const chunk of image.read()) {
    bytes += chunk.length;
    if (bytes > image.bytes) break;
    yield chunk;
    sent(bytes);
  }
  // A wrong length would leave the server waiting, or reading the next request as the end of this one.
  if (bytes !== image.bytes) throw uploadChanged({ file: image.file, bytes, needed: image.bytes });
  yield tail;
}
