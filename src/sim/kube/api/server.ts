import https from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type tls from "node:tls";
import type { Clock } from "../../../lib/index.ts";
import type { FaultBox } from "../../faults.ts";
import type { SimNetwork } from "../../network.ts";
import { ApiError } from "../store/api-error.ts";
import { userOf } from "./authentication.ts";
import { holdControllers, type Controller, type PodTimes } from "../controllers/index.ts";
import { handleRequest } from "./handle-request.ts";
import { proxyToService } from "./proxy-service.ts";
import { shapeOne } from "./read-resources.ts";
import type { ApiRequest, Reply } from "./request.ts";
import type { Site } from "../controllers/controller.ts";
import { newSite, siteOn } from "../site.ts";
import type { KubeStore } from "../store/store.ts";
import { streamWatch } from "./watch.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import { digText } from "../store/object.ts";

export interface KubeApiOptions extends KubeApiParts {
  network: SimNetwork;
  host: string;
  port: number;
  /** The serving certificate and its key, PEM. */
  cert: string;
  key: string;
  /** The authority client certificates must come from, PEM. */
  clientCa: string;
}

/** What an API server is made of, whoever listens for it. */
export interface KubeApiParts {
  store: KubeStore;
  clock: Clock;
  faults: FaultBox;
  /** `1.36.3`, with or without a `v`. */
  version: string;
  /** Name of the node this server runs on; without it every pod is near. */
  node?: string;
  /** Whether etcd behind it can decide anything; it always can if not given. */
  hasQuorum?: () => boolean;
  /** Takes the power from the machine this server runs on, for the fault `die`. */
  onDie?: () => void;
  /** How long pods take to start. */
  times?: PodTimes;
  /** The wires it shares with other clusters; without them it is alone. */
  network?: SimNetwork;
  /** What runs in this cluster beside the usual controllers. */
  controllers?: Controller[];
}

/** Serves `store` over HTTPS. The cluster's controllers run as long as any API server of the store does. */
export async function startKubeApi(options: KubeApiOptions): Promise<{ close(): Promise<void> }> {
  const sockets = new Set<Duplex>();
  const server = https.createServer(
    {
      cert: options.cert,
      key: options.key,
      ca: options.clientCa,
      requestCert: true,
      // Strangers get through TLS and then a 401, as from the real server.
      rejectUnauthorized: false,
    },
    (message, response) => api.handle(message, response),
  );
  server.keepAliveTimeout = 90_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const listening = await options.network.listen(server, options.host, options.port);
  const api = openKubeApi(options);
  return {
    async close() {
      api.close();
      const closed = listening.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Answers calls that somebody else listens for. The cluster's controllers run until it is closed. */
export function openKubeApi(options: KubeApiParts): {
  /** The socket's certificate says who calls. */
  handle(message: IncomingMessage, response: ServerResponse): void;
  close(): void;
} {
  options.store.sufferFrom(options.faults.cluster);
  const releaseControllers = holdControllers(options.store, options.clock, {
    faults: options.faults.cluster,
    times: options.times,
    more: options.controllers,
    site: siteOf(options),
  });
  return {
    handle: (message, response) => void serve(options, message, response),
    close: releaseControllers,
  };
}

/** Without a network it is alone. */
const siteOf = ({ network }: KubeApiParts): Site => (network ? siteOn(network) : newSite());

async function serve(
  options: KubeApiParts,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(message.url ?? "/", "https://kube");
  const fault = options.faults.next(`kube ${message.method ?? ""} ${url.pathname}`);
  if (fault === "refuse" || fault === "die") {
    message.socket.destroy();
    if (fault === "die") options.onDie?.();
    return;
  }
  if (fault === "hang") return;
  try {
    if (fault !== undefined && fault !== "lost-reply" && fault !== "no-quorum") throw faultStatus(fault);
    const request: ApiRequest = {
      method: message.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      headers: message.headers,
      body: await readBody(message),
      user: userOf(message.socket as tls.TLSSocket),
    };
    demandQuorum(options, request.path);
    if (request.method !== "GET") await sufferEtcd(options, request.method);
    const { programs } = siteOf(options);
    const from = { node: options.node, faults: options.faults.cluster, programs };
    const proxied = proxyToPod(options.store, request, from) ?? proxyToService(options.store, request, from);
    const answer = proxied ? { reply: proxied } : handleRequest(options.store, request, options.version);
    if (fault === "lost-reply") message.socket.destroy();
    else if ("reply" in answer) send(response, answer.reply);
    else
      streamWatch(options.store, answer.watch, request, response, (object) =>
        shapeOne(answer.watch, request, object, options.clock.now()),
      );
  } catch (error) {
    if (!response.headersSent) send(response, errorReply(error));
    else response.destroy();
  }
}

/** Without quorum nothing can be read either; only that the process lives. */
function demandQuorum({ hasQuorum }: KubeApiParts, path: string): void {
  if (hasQuorum === undefined || hasQuorum() || path === "/livez" || path === "/version") return;
  throw new ApiError(500, "InternalError", "etcdserver: no leader");
}

/** A database that is full takes deletions only; a slow one takes its time for everything. */
async function sufferEtcd({ faults, clock }: KubeApiParts, method: string): Promise<void> {
  const slow = faults.cluster.find("etcd-slow");
  if (slow) await clock.sleep(slow.slowMs ?? 2_000);
  const full = faults.cluster.find("etcd-alarm");
  if (full && method !== "DELETE")
    throw new ApiError(500, "InternalError", full.message ?? "etcdserver: mvcc: database space exceeded");
}

function faultStatus(fault: "error" | "unreachable" | "lock"): ApiError {
  if (fault === "error")
    return new ApiError(500, "InternalError", "Internal error occurred: etcdserver: request timed out");
  if (fault === "unreachable")
    return new ApiError(503, "ServiceUnavailable", "the server is currently unable to handle the request");
  return new ApiError(
    429,
    "TooManyRequests",
    "the server has received too many requests, please try again later",
    {
      retryAfterSeconds: 1,
    },
  );
}

function errorReply(error: unknown): Reply {
  if (!(error instanceof ApiError)) {
    const message = error instanceof Error ? error.message : String(error);
    return errorReply(new ApiError(500, "InternalError", `Internal error occurred: ${message}`));
  }
  const { code, details } = error.status;
  const wait = details?.["retryAfterSeconds"];
  return {
    code,
    body: error.status,
    headers: wait === undefined ? undefined : { "retry-after": String(wait) },
  };
}

function send(response: ServerResponse, reply: Reply): void {
  const body = typeof reply.body === "string" ? reply.body : `${JSON.stringify(reply.body)}\n`;
  response.writeHead(reply.code, {
    "content-type": reply.contentType ?? "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-cache, private",
    ...reply.headers,
  });
  response.end(body);
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const proxied = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/proxy(\/.*)?$/;

/**
 * What a pod answers to a GET that the API server passes on: `ok`, as if every port had a health page. The way to it leads
 * through the pod network, from the node the API server is on. Undefined when the call is another one.
 */
function proxyToPod(
  store: KubeStore,
  request: ApiRequest,
  from: { node?: string | undefined; faults: ClusterFaults },
): Reply | undefined {
  const [, namespace, target] = proxied.exec(request.path) ?? [];
  if (namespace === undefined || target === undefined || request.method !== "GET") return undefined;
  const [name = "", port = "80"] = decodeURIComponent(target)
    .replace(/^https?:/, "")
    .split(":");
  const pod = store.find({ apiVersion: "v1", kind: "Pod", namespace, name });
  if (!pod) throw new ApiError(404, "NotFound", `pods "${name}" not found`);
  const peer = digText(pod, "spec", "nodeName");
  const isFar = from.node !== undefined && from.node !== peer;
  if (isFar && from.faults.find("pod-network-broken", { node: from.node, peer }))
    throw new ApiError(
      503,
      "ServiceUnavailable",
      `error trying to reach service: dial tcp ${digText(pod, "status", "podIP")}:${port}: i/o timeout`,
    );
  const isDns = pod.metadata.labels?.["k8s-app"] === "kube-dns";
  if (isDns && from.faults.find("dns-broken", { node: peer }))
    return { code: 503, body: "kubernetes", contentType: "text/plain" };
  return { code: 200, body: "OK", contentType: "text/plain" };
}
