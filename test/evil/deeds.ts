import http2 from "node:http2";
import { gzipSync } from "node:zlib";
import { afterRequest, drip, frame, pour, speakHttp2, type Deed } from "./evil-server.ts";

/** One way to be evil, in the two protocols. */
export interface Behaviour {
  layer: "tcp" | "tls";
  deed: Deed;
  isStranger?: boolean;
  /** The client has time enough: only its limits of size can end this. */
  isLarge?: boolean;
}

const part = Buffer.alloc(64 * 1024, "x");
const bomb = gzipSync(Buffer.alloc(256 * 1024 ** 2), { level: 9 });
const json = "content-type: application/json";
const head = (...lines: string[]): string => `HTTP/1.1 ${lines.join("\r\n")}\r\n`;
const whole = (status: string, body: string | Buffer, ...lines: string[]): Buffer =>
  Buffer.concat([
    Buffer.from(`${head(status, `content-length: ${Buffer.byteLength(body)}`, ...lines)}\r\n`),
    Buffer.from(body),
  ]);

/** Says the same to every request. */
const http1 =
  (say: string | Buffer | ((socket: Parameters<Deed>[0]) => void)): Deed =>
  (socket) =>
    afterRequest(socket, () => (typeof say === "function" ? say(socket) : socket.write(say)));

const http2Stream =
  (answer: Parameters<typeof speakHttp2>[1]): Deed =>
  (socket) =>
    speakHttp2(socket, answer);

const grpc = { ":status": 200, "content-type": "application/grpc+proto" };

/** A message of gRPC: whether it is compressed, how long it says it is, what follows. */
const message = (body: Buffer, length = body.length, isCompressed = false): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, body]);
};

const answered = (body: Buffer, headers: http2.OutgoingHttpHeaders = {}): Deed =>
  http2Stream((stream) => {
    stream.respond({ ...grpc, ...headers }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(body);
  });
const statusOnly = (headers: http2.OutgoingHttpHeaders, body = ""): Deed =>
  http2Stream((stream) => {
    stream.respond(headers);
    stream.end(body);
  });

const settings = frame(4, 0, 0, Buffer.alloc(0));
/** Frames of our own making, after the client has begun to speak. */
const raw =
  (say: (socket: Parameters<Deed>[0]) => void): Deed =>
  (socket) => {
    socket.write(settings);
    socket.once("data", () => say(socket));
  };

const both =
  (first: Deed, second: Deed): Deed =>
  (socket, speech) =>
    speech === "http1" ? first(socket, speech) : second(socket, speech);

const tcp = (deed: Deed): Behaviour => ({ layer: "tcp", deed });
const spoken = (first: Deed, second: Deed): Behaviour => ({ layer: "tls", deed: both(first, second) });

const large = (first: Deed, second: Deed): Behaviour => ({ ...spoken(first, second), isLarge: true });

export const behaviours: Record<string, Behaviour> = {
  "takes the connection and is silent": tcp((socket) => socket.resume()),
  "closes at once": tcp((socket) => socket.end()),
  "resets at once": tcp((socket) => socket.resetAndDestroy()),
  "closes after the client's hello": tcp((socket) => socket.once("data", () => socket.end())),
  "answers the hello with garbage": tcp((socket) => socket.once("data", () => pour(socket, part, 1e6))),
  "answers the hello in plain HTTP": tcp((socket) =>
    socket.once("data", () => socket.write(whole("400 Bad Request", "no TLS here"))),
  ),
  "begins a handshake and stops": tcp((socket) =>
    socket.once("data", () => socket.write(Buffer.from([22, 3, 3, 64, 0, 2, 0, 63]))),
  ),
  "drips a handshake": tcp((socket) => socket.once("data", () => drip(socket, "\u0016"))),
  "has a certificate of somebody else": {
    layer: "tls",
    deed: (socket) => socket.resume(),
    isStranger: true,
  },
  "is silent after the handshake": { layer: "tls", deed: (socket) => socket.resume() },
  "closes after the request": spoken(
    http1((socket) => socket.end()),
    http2Stream((_stream, session) => session.destroy()),
  ),
  "closes in the middle of the head": spoken(
    http1((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")),
    raw((socket) => socket.end(frame(1, 0, 1, Buffer.from([0x88])).subarray(0, 7))),
  ),
  "sends one header of megabytes": spoken(
    http1((socket) => socket.write(`${head("200 OK")}x-large: ${"x".repeat(4e6)}\r\n\r\n`)),
    raw((socket) => pour(socket, Buffer.concat([frame(1, 0, 1, Buffer.alloc(16_000, 0x88))]), 8e6)),
  ),
  "sends headers without end": spoken(
    http1((socket) => {
      socket.write(head("200 OK"));
      pour(socket, Buffer.from(`x-more: ${"x".repeat(60)}\r\n`.repeat(100)));
    }),
    raw((socket) => {
      socket.write(frame(1, 0, 1, Buffer.from([0x88])));
      pour(socket, frame(9, 0, 1, Buffer.alloc(8_000, 0x88)));
    }),
  ),
  "sends a body without end": large(
    http1((socket) => {
      socket.write(`${head("200 OK", json)}\r\n`);
      pour(socket, part);
    }),
    http2Stream((stream) => {
      stream.respond(grpc);
      pour(stream as never, message(Buffer.alloc(1e6)));
    }),
  ),
  "sends 600 MB and says so": large(
    http1((socket) => {
      socket.write(`${head("200 OK", json, "content-length: 600000000")}\r\n`);
      pour(socket, part, 6e8);
    }),
    http2Stream((stream) => {
      stream.respond(grpc);
      stream.write(message(part, 600_000_000));
      pour(stream as never, part, 6e8);
    }),
  ),
  "stops in the middle of the body": spoken(
    http1(`${head("200 OK", json, "content-length: 1000")}\r\n{"data":`),
    http2Stream((stream) => {
      stream.respond(grpc);
      stream.write(message(Buffer.alloc(10), 1000));
    }),
  ),
  "drips the body": spoken(
    http1((socket) => {
      socket.write(`${head("200 OK", json)}\r\n`);
      drip(socket, " ");
    }),
    http2Stream((stream) => {
      stream.respond(grpc);
      stream.write(message(Buffer.alloc(0), 1000));
      drip(stream as never, "x");
    }),
  ),
  "sends what is no JSON and no protobuf": spoken(
    http1(whole("200 OK", '{"data": [}', json)),
    answered(message(Buffer.from("ffffffffffff", "hex"))),
  ),
  "nests without end": spoken(
    http1(whole("200 OK", "[".repeat(4e6), json)),
    answered(message(Buffer.concat(Array.from({ length: 1e5 }, () => Buffer.from([0x0a, 0xff, 0x7f]))))),
  ),
  "sends other JSON than was asked for": spoken(
    http1(whole("200 OK", "null", json)),
    answered(message(Buffer.from([0x0a, 0x02, 0x08, 0x01]), 60_000)),
  ),
  "sends a page for people": spoken(
    http1(whole("200 OK", "<html>log in</html>", "content-type: text/html")),
    statusOnly({ ":status": 200, "content-type": "text/html" }, "<html>log in</html>"),
  ),
  "speaks the other HTTP": spoken(
    (socket) => void socket.write(settings),
    (socket) => void socket.write(whole("200 OK", "{}", json)),
  ),
  "redirects to itself": spoken(
    http1(whole("302 Found", "", "location: /again")),
    statusOnly({ ":status": 302, location: "/again" }),
  ),
  "sends 1xx without end": spoken(
    http1((socket) => pour(socket, Buffer.from("HTTP/1.1 102 Processing\r\n\r\n".repeat(100)))),
    raw((socket) => pour(socket, frame(1, 4, 1, Buffer.from([0x08, 0x03, 0x31, 0x30, 0x32])))),
  ),
  "sends a compressed bomb": large(
    http1(whole("200 OK", bomb, json, "content-encoding: gzip")),
    answered(message(bomb, bomb.length, true), { "grpc-encoding": "gzip" }),
  ),
  "sends less than it says": spoken(
    http1((socket) => socket.end(`${head("200 OK", json, "content-length: 1000")}\r\n{}`)),
    answered(message(Buffer.alloc(10), 1000)),
  ),
  "sends more than it says": spoken(
    http1(`${head("200 OK", json, "content-length: 2")}\r\n{}${"x".repeat(1000)}`),
    answered(Buffer.concat([message(Buffer.alloc(0)), part])),
  ),
  "says its length twice": spoken(
    http1(`${head("200 OK", json, "content-length: 2", "content-length: 20")}\r\n{}`),
    statusOnly({ ":status": 200, "content-type": "application/grpc", "grpc-status": "not a number" }),
  ),
  "answers 500 for ever": spoken(
    http1(whole("500 Internal Server Error", "broken")),
    statusOnly({ ":status": 500 }),
  ),
  "answers 401 for ever": spoken(http1(whole("401 No ticket", "")), statusOnly({ ":status": 401 })),
  "answers 200 and nothing": spoken(http1(whole("200 OK", "", json)), answered(Buffer.alloc(0))),
  "resets every stream": spoken(
    http1((socket) => void socket.destroy()),
    http2Stream((stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)),
  ),
  "asks for calm": spoken(
    http1(whole("429 Too Many Requests", "", "retry-after: 0")),
    http2Stream((stream) => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM)),
  ),
  "goes away at once": spoken(
    http1((socket) => socket.end(whole("503 Service Unavailable", "", "connection: close"))),
    raw((socket) => socket.write(frame(7, 0, 0, Buffer.alloc(8)))),
  ),
  "floods with settings": spoken(
    (socket) => pour(socket, settings, 1e7),
    raw((socket) => pour(socket, Buffer.concat(Array.from({ length: 500 }, () => settings)))),
  ),
  "floods with pings": spoken(
    (socket) => pour(socket, frame(6, 0, 0, Buffer.alloc(8)), 1e7),
    raw((socket) =>
      pour(socket, Buffer.concat(Array.from({ length: 500 }, () => frame(6, 0, 0, Buffer.alloc(8))))),
    ),
  ),
};
