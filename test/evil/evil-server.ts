import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import { Worker } from "node:worker_threads";
import { realRandom } from "../../src/lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../src/pki/index.ts";

/** What both sides of a test know. */
export interface Party {
  ca: string;
  client: Identity;
  port: number;
}

/** The protocol the client in front of it speaks. */
export type Speech = "http1" | "http2";

/** Does its worst with one connection. */
export type Deed = (socket: net.Socket, speech: Speech) => void;

const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };

async function identity(authority: Identity, usages: ("server" | "client")[]): Promise<Identity> {
  return issueCertificate({ authority, commonName: "evil", usages, addresses: ["127.0.0.1"], ...dates });
}

const newAuthority = () => createAuthority({ kind: "p256", organization: "evil", ...dates });
const authorities = Promise.all([newAuthority(), newAuthority()]);

export interface EvilServer extends Party, AsyncDisposable {}

/** On `tcp` the deed has the bare connection; on `tls` the handshake is done before it begins. */
export async function evilServer(
  layer: "tcp" | "tls",
  deed: Deed,
  speech: Speech,
  { isStranger = false } = {},
): Promise<EvilServer> {
  const [authority, stranger] = await authorities;
  const own = await identity(isStranger ? stranger : authority, ["server"]);
  const open = new Set<net.Socket>();
  const meet = (socket: net.Socket) => {
    socket.on("error", () => undefined);
    deed(socket, speech);
  };
  const ALPNProtocols = [speech === "http2" ? "h2" : "http/1.1"];
  // A socket that no server of TLS has made is taken for one in its handshake, and HTTP/2 waits for the end of that for ever.
  const server =
    layer === "tcp"
      ? net.createServer({ noDelay: true }, meet)
      : tls.createServer({ ...own, ALPNProtocols, noDelay: true }, meet);
  server.on("connection", (raw: net.Socket) => {
    open.add(raw);
    raw.on("error", () => undefined).once("close", () => open.delete(raw));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ca: authority.cert,
    client: await identity(authority, ["client"]),
    port: (server.address() as net.AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A host that answers no SYN: its queue is full, and nobody ever takes anything out of it. */
export async function blackHole(): Promise<EvilServer> {
  const [authority] = await authorities;
  const listener = new Worker(
    `const { parentPort } = require("node:worker_threads");
     const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true },
  );
  const [port] = (await once(listener, "message")) as [number];
  const fillers = Array.from({ length: 4 }, () =>
    net.connect(port, "127.0.0.1").on("error", () => undefined),
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    ca: authority.cert,
    client: await identity(authority, ["client"]),
    port,
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy();
      await listener.terminate();
    },
  };
}

/** Writes without end, no faster than it is read. */
export function pour(socket: net.Socket, part: Buffer, most = Number.POSITIVE_INFINITY): void {
  let sent = 0;
  const more = () => {
    while (!socket.destroyed && sent < most) {
      sent += part.length;
      if (!socket.write(part)) return void socket.once("drain", more);
    }
  };
  more();
}

/** One byte after the other, for ever. */
export function drip(socket: net.Socket, byte: string, everyMs = 100): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(byte);
  }, everyMs);
}

/** Once a whole head of an HTTP/1 request has come. */
export function afterRequest(socket: net.Socket, then: () => void): void {
  let seen = "";
  const read = (chunk: Buffer) => {
    seen += chunk.toString("latin1");
    if (!seen.includes("\r\n\r\n")) return;
    seen = "";
    then();
  };
  socket.on("data", read);
}

/** An HTTP/2 session on a connection, for what can be said with a real one. */
export function speakHttp2(
  socket: net.Socket,
  answer: (stream: http2.ServerHttp2Stream, session: http2.ServerHttp2Session) => void,
): void {
  const session = http2.performServerHandshake(socket);
  session.on("error", () => undefined);
  session.on("stream", (stream) => {
    stream.on("error", () => undefined);
    setImmediate(() => answer(stream, session));
  });
}

/** A frame as it stands on the wire. */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
