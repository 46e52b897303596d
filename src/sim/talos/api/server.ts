import http2 from "node:http2";
import net from "node:net";
import type tls from "node:tls";
import { Code, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { destroyLater, inNextTurn, type Clock } from "../../../lib/index.ts";
import type { Listening } from "../../network.ts";
import { callerKey, rolesOf, type ApiCaller } from "./caller.ts";
import { guardCalls } from "./guard.ts";
import { apiRoutes } from "./routes.ts";
import { apiCertificate } from "../certificates.ts";
import type { NodeConfig } from "../config/node-config.ts";
import type { TalosNode } from "../node.ts";

export const apiPort = 50_000;
/** How long an open stream may hold up the end of a server, in real time. */
const flushMs = 200;
const clientAuth = "1.3.6.1.5.5.7.3.2";

/** The node behind each open connection, and who is at its other end; one set of routes serves all nodes. */
const nodeOf = new WeakMap<http2.Http2Session, Pick<ApiCaller, "node" | "roles" | "sends">>();

const answer = connectNodeAdapter({
  routes: apiRoutes,
  interceptors: [guardCalls],
  connect: false,
  acceptCompression: [],
  fallback(request, response) {
    // gRPC knows no 404: a call that is not offered is a status without a body.
    (response as http2.Http2ServerResponse).stream.respond(
      {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": String(Code.Unimplemented),
        "grpc-message": `unknown method ${request.url ?? ""}`,
      },
      { endStream: true },
    );
  },
  grpcWeb: false,
  contextValues(request) {
    const { session } = (request as http2.Http2ServerRequest).stream;
    const known = session && nodeOf.get(session);
    if (session === undefined || known === undefined) return createContextValues();
    return createContextValues().set(callerKey, { ...known, cut: () => destroyLater(session) });
  },
});

/** The Talos API of one node on all its addresses. Certificates are made when the first caller comes. */
export class ApiServer {
  readonly #node: TalosNode;
  readonly #sockets = new Set<net.Socket>();
  readonly #sessions = new Set<http2.Http2Session>();
  #listening: Listening[] = [];
  #secure: Promise<http2.Http2SecureServer> | undefined;
  #madeFor: NodeConfig | undefined;

  constructor(node: TalosNode) {
    this.#node = node;
  }

  async open(): Promise<void> {
    const { network } = this.#node.world;
    this.#listening = await Promise.all(
      this.#node.addresses().map((address) => network.listen(this.#front(), address, apiPort)),
    );
  }

  /** The door is shut; answers on their way still go out, then every connection ends. Streams may go on for `graceMs`. */
  async finish(graceMs = 0): Promise<void> {
    // A call that ends the server is being read right now, see destroyLater().
    inNextTurn(() => {
      for (const session of this.#sessions) session.close();
    });
    const closed = new AbortController();
    let calm: (() => void) | undefined;
    const { running, world } = this.#node;
    const hurry = () => {
      if (!closed.signal.aborted) calm = world.clock.after(flushMs, () => this.#cut());
    };
    if (graceMs === 0) hurry();
    else world.clock.sleep(graceMs, AbortSignal.any([closed.signal, running])).then(hurry, hurry);
    await this.#shut();
    closed.abort();
    calm?.();
    this.#secure = undefined;
  }

  /** Power is gone: every connection is cut at once. */
  async cut(): Promise<void> {
    this.#cut();
    await this.#shut();
  }

  /** Resolves when the last connection has ended. */
  async #shut(): Promise<void> {
    const closing = this.#listening.map((listening) => listening.close());
    this.#listening = [];
    await Promise.all(closing);
  }

  #cut(): void {
    for (const socket of this.#sockets) destroyLater(socket);
  }

  #front(): net.Server {
    return net.createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      socket.on("error", () => destroyLater(socket));
      // A config applied while the node runs may name other addresses in its certificate.
      if (this.#secure === undefined || this.#madeFor !== this.#node.config)
        this.#secure = this.#makeSecure();
      this.#secure.then(
        (server) => server.emit("connection", socket),
        () => socket.destroy(),
      );
    });
  }

  async #makeSecure(): Promise<http2.Http2SecureServer> {
    const node = this.#node;
    this.#madeFor = node.config;
    const identity = node.config === undefined ? node.maintenance : await apiCertificate(node);
    if (identity === undefined) throw new Error("a node in maintenance mode has made no certificate");
    const trust: tls.TlsOptions =
      node.config === undefined
        ? {}
        : { requestCert: true, rejectUnauthorized: true, ca: node.config.osAccepted };
    const server = http2.createSecureServer(
      { ...identity, ...trust, ALPNProtocols: ["h2"], minVersion: "TLSv1.2" },
      answer,
    );
    server.on("session", (session) => {
      // Reading a certificate takes longer than most calls, and a connection keeps its own.
      const certificate = (session.socket as tls.TLSSocket).getPeerCertificate();
      const sends = policePings(session, node.world.clock);
      nodeOf.set(session, { node, roles: rolesOf(certificate), sends });
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      session.on("error", () => destroyLater(session));
      if (node.config !== undefined && !hasExactUsage(certificate)) destroyLater(session);
    });
    server.on("tlsClientError", (_error, socket) => destroyLater(socket));
    server.on("sessionError", () => undefined);
    return server;
  }
}

/** From Talos 1.12 on a client certificate may be good for being a client, and for nothing else. */
function hasExactUsage(certificate: tls.PeerCertificate): boolean {
  const usages = certificate.ext_key_usage ?? [];
  return usages.length === 1 && usages[0] === clientAuth;
}

const minTimeMs = 5 * 60_000;
/** Between pings of a client that has nothing open. */
const idleTimeMs = 2 * 60 * 60_000;
const mostStrikes = 2;

/**
 * What a Go gRPC server does with pings unless told otherwise: too early ones are strikes, anything it sends itself
 * forgives them, the third strike ends the connection. Returns what is to be called whenever it sends something.
 */
function policePings(session: http2.ServerHttp2Session, clock: Clock): () => void {
  let strikes = 0;
  let lastPingAt = Number.NEGATIVE_INFINITY;
  let isForgiven = false;
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    stream.once("close", () => (open -= 1));
  });
  session.on("ping", () => {
    const now = clock.now();
    const sinceMs = now - lastPingAt;
    lastPingAt = now;
    if (isForgiven) strikes = 0;
    else if (sinceMs < (open > 0 ? minTimeMs : idleTimeMs)) strikes += 1;
    isForgiven = false;
    if (strikes <= mostStrikes) return;
    inNextTurn(() => {
      if (session.destroyed) return;
      session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from("too_many_pings"));
      destroyLater(session);
    });
  });
  return () => {
    isForgiven = true;
  };
}
