import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { validateResponseWithCompression, validateTrailer } from "@connectrpc/connect/protocol-grpc";
import http2 from "node:http2";
import { onAbort } from "../../../lib/index.ts";
import { mostMessageBytes } from "../errors.ts";
import type { TalosSession } from "./session.ts";

interface Answer {
  headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader;
  trailers: http2.IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Calls of one question and one answer. Connect's own pass both through a chain of streams, which takes four times the work
 * of the call itself, and a plan makes such calls to every node there is.
 */
export const unaryCalls =
  (session: Pick<TalosSession, "request">): Transport["unary"] =>
  async (method, signal, _timeoutMs, header, message) => {
    signal?.throwIfAborted();
    const headers = {
      ...Object.fromEntries(new Headers(header)),
      "content-type": "application/grpc+proto",
      te: "trailers",
    };
    const path = `/${method.parent.typeName}/${method.name}`;
    const question = envelope(toBinary(method.input, create(method.input, message)));
    const stream = await session.request("POST", path, headers, {});
    const answer = await exchange(stream, question, signal);
    checkStatus(answer);
    return {
      stream: false,
      service: method.parent,
      method,
      header: new Headers(),
      message: fromBinary(method.output, contentOf(answer.body)),
      trailer: new Headers(),
    };
  };

/** Before each message: whether it is compressed, which none is, and its length. */
const prefixBytes = 5;

function envelope(content: Uint8Array): Buffer {
  const all = Buffer.alloc(prefixBytes + content.length);
  all.writeUInt32BE(content.length, 1);
  all.set(content, prefixBytes);
  return all;
}

function contentOf(body: Buffer): Buffer {
  const isWhole = body.length >= prefixBytes && body.length === prefixBytes + body.readUInt32BE(1);
  if (!isWhole || body[0] !== 0)
    throw new ConnectError("protocol error: the answer is not one message", Code.Unimplemented);
  return body.subarray(prefixBytes);
}

/** Sends the question and takes the answer whole. No stream is destroyed here: HTTP/2 may be in the middle of reading. */
function exchange(
  stream: http2.ClientHttp2Stream,
  question: Buffer,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const answer: Answer = { headers: {}, trailers: {}, body: Buffer.alloc(0) };
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise<Answer>((resolve, reject) => {
    const giveUp = (reason: Error): void => {
      reject(reason);
      stream.close(http2.constants.NGHTTP2_CANCEL);
    };
    const leave = signal && onAbort(signal, () => giveUp(signal.reason as Error));
    stream.on("response", (headers) => (answer.headers = headers));
    stream.on("trailers", (trailers) => (answer.trailers = trailers));
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > mostMessageBytes + prefixBytes) giveUp(tooLarge());
    });
    stream.on("error", reject);
    // An end alone does not tell: that of a call that was cut comes too, and only then why.
    stream.on("close", () => {
      leave?.();
      const isOver = stream.rstCode === http2.constants.NGHTTP2_NO_ERROR && ":status" in answer.headers;
      if (isOver) resolve({ ...answer, body: Buffer.concat(parts) });
      else reject(cutShort(stream.rstCode));
    });
    if (signal?.aborted) giveUp(signal.reason as Error);
    else stream.end(question);
  });
}

/** Of all that ends a stream, HTTP/2 makes an error by itself, but for this and for an end before any answer. */
const cutShort = (rstCode: number | undefined): Error =>
  new ConnectError(
    rstCode === http2.constants.NGHTTP2_CANCEL
      ? "http/2 stream closed with error code CANCEL (0x8)"
      : "the call was ended without one",
    Code.Canceled,
  );

const tooLarge = (): Error =>
  new ConnectError(
    `message size is larger than configured readMaxBytes ${mostMessageBytes}`,
    Code.ResourceExhausted,
  );

/** Throws what the node says went wrong; nearly always nothing. */
function checkStatus({ headers, trailers }: Answer): void {
  const { ":status": status = 0, "grpc-status": early } = headers;
  if (status === 200 && trailers["grpc-status"] === "0" && early === undefined) return;
  const header = webHeaders(headers);
  const { headerError } = validateResponseWithCompression([], status, header);
  validateTrailer(webHeaders(trailers), header);
  if (headerError) throw headerError;
}

const webHeaders = (headers: http2.IncomingHttpHeaders): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      name.startsWith(":") || value === undefined ? [] : [[name, String(value)]],
    ),
  );
