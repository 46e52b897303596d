import { nodePowers, setNode, type NodePower } from "../nodes/node-power.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Identity } from "../../../pki/index.ts";
import { ApiError } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { answerCall, refuseCaller, type ApiRequest } from "./dispatch.ts";
import { formatOf, refusedIn, type Content } from "./formats.ts";
import { serveTerminal } from "./terminal.ts";
import { inSource, parseMultipart, sourceLines, type SourceLines, type Upload } from "./multipart.ts";
import type { RawParams } from "../parameters/verify.ts";

const bodyLimit = 512 * 1024;
const methods = new Set(["GET", "POST", "PUT", "DELETE"]);
/** The server forgets an idle connection after five seconds of the wall, and never says so beforehand. */
const idleMs = 5000;
const requestsPerConnection = 100;

/** A node's API port. */
export function createApiServer(cluster: Cluster, node: string, identity: Identity): https.Server {
  const server = https.createServer(
    { cert: identity.cert, key: identity.key, keepAliveTimeout: idleMs, ALPNProtocols: [] },
    (request, response) => {
      serve(cluster, node, request, response).catch((error: unknown) => giveUp(request, response, error));
    },
  );
  server.on("upgrade", (request: IncomingMessage, wire: Duplex, head: Buffer) => {
    wire.on("error", () => wire.destroy());
    upgrade(cluster, node, request, wire, head).catch(() => wire.destroy());
  });
  return server;
}

/** The only thing that is upgraded to is the terminal of a machine. */
async function upgrade(
  cluster: Cluster,
  entry: string,
  request: IncomingMessage,
  wire: Duplex,
  head: Buffer,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
  const params = decodeForm(query);
  const answer = await answerCall(cluster, {
    method: "GET",
    path: path.replace(/^\/api2\/json/, ""),
    headers: request.headers,
    params,
    entry,
  });
  if (answer === "hang") return;
  const [, vmid = ""] = /\/qemu\/(\d+)\/vncwebsocket$/.exec(path) ?? [];
  const given = cluster.consoles.find(String(params["vncticket"]), Number(vmid));
  if (answer === "cut") wire.destroy();
  else if (answer.status === 200 && given) serveTerminal(cluster, request, wire, head, given);
  else {
    const status = answer.status === 200 ? 501 : answer.status;
    wire.end(
      `HTTP/1.1 ${status} ${reasonPhrase(answer.reason)}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
  }
}

/** A defect of the simulator shows as an error of the server, not as a broken wire. */
function giveUp(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || request.socket.destroyed) request.socket.destroy();
  else {
    const text = error instanceof Error ? error.message : String(error);
    send(request, response, { status: 500, reason: text, text });
  }
}

const served = new WeakMap<Socket, number>();

/** After a hundred requests the server asks for a new connection. */
function connectionHeader(request: IncomingMessage): "close" | "keep-alive" {
  const count = (served.get(request.socket) ?? 0) + 1;
  served.set(request.socket, count);
  return request.headers.connection === "close" || count >= requestsPerConnection ? "close" : "keep-alive";
}

async function serve(
  cluster: Cluster,
  entry: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = (content: Content) => send(request, response, content);
  try {
    const { method = "GET", headers } = request;
    if (!methods.has(method)) {
      reply({ status: 501, reason: `method '${method}' not available`, text: "" });
      return;
    }
    refuseEncoding(request);
    const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
    if (path.startsWith("/sim/")) {
      const control = await readBody(request, sourceLines[cluster.version]);
      const params = { ...decodeForm(query), ...control?.params };
      const data = await answerControl(cluster, method, path, params);
      reply({
        status: 200,
        reason: "OK",
        text: JSON.stringify({ data }),
        type: "application/json;charset=UTF-8",
      });
      return;
    }
    const [, formatName, apiPath = "/"] = /^\/api2\/+([a-z][a-z0-9]+)(\/.*)?$/.exec(path) ?? [];
    if (formatName === undefined) throw new ApiError(501, "no such uri");
    const call = { method, path: apiPath, headers, entry };
    const refused = await refuseCaller(cluster, call);
    if (refused) {
      reply(refusedIn(formatName, refused));
      return;
    }
    refuseContent(request);
    const format = formatOf(formatName);
    if (!format) throw new ApiError(501, `no formatter for uri ${apiPath}, ${formatName}`);
    const body = await readBody(request, sourceLines[cluster.version]);
    if (body === undefined) {
      request.socket.destroy();
      return;
    }
    // `_dc` is there to get past caches.
    const { _dc, ...params } = { ...body.params, ...decodeForm(query) };
    const whole: ApiRequest = { ...call, params, upload: body.upload };
    const answer = await answerCall(cluster, whole);
    if (answer === "cut") request.socket.destroy();
    else if (answer === "hang") return;
    else if (answer.text !== undefined)
      reply({ status: 200, reason: "OK", text: answer.text, type: "text/plain" });
    else if (answer.body === undefined) reply({ ...answer, text: "" });
    else reply(format(answer));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A failure inside the server ends with a newline, a refusal by it does not, and a bad request says nothing.
    const { status, message } = error;
    reply({ status, reason: message, text: status === 500 ? `${message}\n` : status === 400 ? "" : message });
  }
}

function send(request: IncomingMessage, response: ServerResponse, content: Content): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(content.text);
  response.writeHead(content.status, reasonPhrase(content.reason), {
    "Cache-Control": "max-age=0",
    Connection: connectionHeader(request),
    Pragma: "no-cache",
    Server: "pve-api-daemon/3.0",
    "Content-Length": bytes.length,
    ...(content.type !== undefined && { "Content-Type": content.type }),
    ...(content.location !== undefined && { Location: content.location }),
  });
  response.end(bytes);
}

/** A status line has one line, in latin1. */
const reasonPhrase = (text: string): string =>
  (text.trimEnd().split("\n")[0] ?? "").replace(/[^\x20-\x7e]/g, "?");

/** What the HTTP layer refuses before anybody looks at who calls. */
function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers["transfer-encoding"];
  if (encoding === undefined) return;
  throw new ApiError(
    501,
    encoding === "chunked"
      ? "chunked transfer encoding not supported"
      : `Unknown transfer encoding '${encoding}'`,
  );
}

/** What it refuses before anybody looks at the call. */
function refuseContent(request: IncomingMessage): void {
  const method = request.method ?? "";
  const length = Number(request.headers["content-length"] ?? 0);
  if (length > 0 && (method === "GET" || method === "DELETE")) {
    throw new ApiError(501, `Unexpected content for method '${method}'`);
  }
  if (length > bodyLimit && !isUpload(request)) throw new ApiError(501, "for data too large");
}

/** Only the upload call takes a body in parts. */
const isUpload = ({ method, url }: IncomingMessage): boolean =>
  method === "POST" && /\/upload(?:\?|$)/.test(url ?? "");

/** The parameters a body carries; undefined where the server drops the connection instead of answering. */
async function readBody(
  request: IncomingMessage,
  lines: SourceLines,
): Promise<{ params: RawParams; upload?: Upload } | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const [type = ""] = (request.headers["content-type"] ?? "").split(/\s*[;,]\s*/);
  const mayBeEmpty = type !== "application/json" || isUpload(request);
  if (body.length === 0 && (mayBeEmpty || !/^(?:POST|PUT)$/.test(request.method ?? "")))
    return { params: {} };
  if (isUpload(request)) {
    const boundary = /boundary="?([^";]+)"?/.exec(request.headers["content-type"] ?? "")?.[1];
    if (type !== "multipart/form-data" || boundary === undefined) return undefined;
    const upload = parseMultipart(body, boundary, lines);
    return { params: { ...upload.fields, filename: upload.fileName }, upload };
  }
  if (type === "application/json") return { params: parseJson(body.toString("utf8"), lines) };
  if (type === "" || type === "application/x-www-form-urlencoded") {
    return { params: decodeForm(body.toString("latin1")) };
  }
  throw new ApiError(506, `upload 'Content-Type '${request.headers["content-type"]}' not implemented`);
}

function parseJson(text: string, lines: SourceLines): RawParams {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(
      500,
      `malformed JSON string, neither tag, array, object, number, string or atom, at character offset ${text.length} (before "(end of string)") ${inSource(lines.json)}`,
    );
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new ApiError(500, `Not a HASH reference ${inSource(lines.hash)}`);
  }
  return value as RawParams;
}

/**
 * What no real server has: the hand at the plug. `PUT /sim/nodes/NAME` with `power=off`, `cut-off` or `on`, at any
 * node's port, without log-in; answered also by a node that is off.
 */
async function answerControl(
  cluster: Cluster,
  method: string,
  path: string,
  params: RawParams,
): Promise<unknown> {
  const node = /^\/sim\/nodes\/([^/]+)$/.exec(path)?.[1];
  if (path === "/sim/nodes" && method === "GET") return powers(cluster);
  if (node === undefined || method !== "PUT") {
    throw new ApiError(501, `write "PUT /sim/nodes/NAME" with power=${nodePowers.join("|")}`);
  }
  const power = nodePowers.find((it) => it === params["power"]);
  if (!cluster.file.nodes[node]) throw new ApiError(400, `there is no node "${node}"`);
  if (power === undefined) throw new ApiError(400, `power is one of ${nodePowers.join(", ")}`);
  await setNode(cluster, node, power);
  return powers(cluster);
}

const powers = (cluster: Cluster): Record<string, NodePower> =>
  Object.fromEntries(
    Object.keys(cluster.file.nodes).map((node) => [
      node,
      cluster.state.offline[node] === undefined ? "on" : "off",
    ]),
  );

/**
 * Decodes a query or form body with the server's quirks: pairs end at `&` and at `;`, of a value with a bare `=` only the
 * part before it is kept, `+` is a blank, and a name given twice becomes a list.
 */
export function decodeForm(text: string): RawParams {
  const params: RawParams = {};
  for (const pair of text.split(/[&;]/)) {
    if (pair === "") continue;
    const [name = "", value] = pair.split("=");
    add(params, decode(name), value === undefined ? "" : decode(value));
  }
  return params;
}

function add(params: RawParams, name: string, value: string): void {
  const before = params[name];
  if (before === undefined) params[name] = value;
  else params[name] = Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
}

function decode(text: string): string {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
