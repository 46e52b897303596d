import { createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { once } from "node:events";
import http2 from "node:http2";
import type net from "node:net";
import { expect, test } from "vitest";
import { MachineService } from "../gen/machine_pb.ts";
import { talosError } from "./call-error.ts";
import { unaryCalls } from "./unary-calls.ts";

/** A `VersionResponse` with nothing in it, as one message of gRPC. */
const answer = Buffer.alloc(5);
const grpc = { ":status": 200, "content-type": "application/grpc" };

type Ending = (stream: http2.ServerHttp2Stream) => unknown;

const trailers =
  (sent: http2.OutgoingHttpHeaders, body: Buffer): Ending =>
  (stream) => {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(sent));
    stream.end(body);
  };
const at = (when: "before" | "after", code: number): Ending => {
  return (stream) => {
    if (when === "after") stream.respond(grpc, { waitForTrailers: true });
    stream.close(code);
  };
};
const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR } =
  http2.constants;

const endings: Record<string, Ending> = {
  "an answer": trailers({ "grpc-status": "0" }, answer),
  "a status before any answer": (stream) =>
    stream.respond({ ...grpc, "grpc-status": "14", "grpc-message": "not%20yet" }, { endStream: true }),
  "a status after its headers": trailers(
    { "grpc-status": "9", "grpc-message": "it is rebooting" },
    Buffer.alloc(0),
  ),
  "a status instead of what it sent": trailers({ "grpc-status": "7", "grpc-message": "no" }, answer),
  "no status": trailers({}, answer),
  "no answer, and a status that all is well": trailers({ "grpc-status": "0" }, Buffer.alloc(0)),
  "two answers": trailers({ "grpc-status": "0" }, Buffer.alloc(10)),
  "another protocol": (stream) => {
    stream.respond({ ":status": 502, "content-type": "text/html" });
    stream.end("<h1>Bad gateway</h1>");
  },
  "a cancelled call": at("before", NGHTTP2_CANCEL),
  "a call that was cancelled later": at("after", NGHTTP2_CANCEL),
  "a refused stream": at("before", NGHTTP2_REFUSED_STREAM),
  "a wish for calm": at("before", NGHTTP2_ENHANCE_YOUR_CALM),
  "a failure of its own": at("after", NGHTTP2_INTERNAL_ERROR),
  "a connection that ends": (stream) => stream.session?.destroy(),
  "a connection that is cut": (stream) => stream.session?.socket.resetAndDestroy(),
};

test.each(Object.entries(endings))(
  "unaryCalls() tells of %s what Connect's own transport tells",
  async (_, end) => {
    const server = http2.createServer();
    server.on("stream", (stream) => {
      stream.on("error", () => undefined);
      end(stream);
    });
    server.on("sessionError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const baseUrl = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const request = async (method: string, path: string, headers: http2.OutgoingHttpHeaders) => {
      const session = http2.connect(baseUrl);
      session.on("error", () => undefined);
      await once(session, "connect");
      const stream = session.request({ ...headers, ":method": method, ":path": path });
      stream.once("close", () => session.close());
      return stream;
    };
    const theirs = createGrpcTransport({ baseUrl });
    const ours: Transport = { stream: theirs.stream, unary: unaryCalls({ request }) };
    expect(await outcome(ours)).toEqual(await outcome(theirs));
    server.close();
  },
);

async function outcome(transport: Transport): Promise<unknown> {
  try {
    return await createClient(MachineService, transport).version({});
  } catch (thrown) {
    const { code, transient, why } = talosError(
      { call: "MachineService/Version", address: "192.0.2.1" },
      thrown,
    );
    return { code, transient, why: why.replace(/^protocol error: .*/, "protocol error") };
  }
}
