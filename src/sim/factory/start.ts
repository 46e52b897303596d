import type { IncomingMessage, Server, ServerResponse } from "node:http";
import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Clock, Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import type { FaultBox } from "../faults.ts";
import { imageContent, sendImage } from "../image-content.ts";
import type { SimNetwork } from "../network.ts";
import { answer, type Answer, type Store } from "./answer.ts";
import { officialExtensions } from "./catalogue.ts";

export interface FactoryOptions {
  /** As the cluster file names it; a path in it stands before every request's. */
  url: string;
  network: SimNetwork;
  clock: Clock;
  random: Random;
  faults: FaultBox;
  /** Full names; left out, those of the public factory. */
  extensions?: readonly string[];
  /** How long it takes to send an image. Left out: no time. */
  downloadMs?: number;
  /** Makes it an enterprise edition, which gives every schematic another id. */
  owner?: string;
}

/** What a node finds when it fetches something from the factory. */
export type Fetched = { status: number; bytes: number } | "cut";

/** A running simulated factory. */
export interface SimFactory {
  url: string;
  /** PEM of the authority that vouches for it. */
  ca: string;
  /** Ids of the schematics it knows. */
  schematics(): string[];
  /** Asks it without a wire, as the nodes of the datacenter do. */
  fetch(url: string): Fetched;
  close(): Promise<void>;
}

const year = 365 * 24 * 3_600_000;

export async function startFactory(options: FactoryOptions): Promise<SimFactory> {
  const url = options.url.replace(/\/+$/, "");
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const base = pathname === "/" ? "" : pathname;
  const isPlain = protocol === "http:";
  // Everybody's image, without anything added, has been asked for before.
  const store: Store = {
    schematics: new Map(),
    extensions: options.extensions ?? officialExtensions,
    owner: options.owner,
  };
  answer(store, "POST", "/schematics", "customization: {}");
  const { ca, identity } = await certificates(host, options);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    serve(store, base, options, request, response).catch(() => request.socket.destroy());
  };
  const server: Server = isPlain ? http.createServer(handle) : https.createServer(identity, handle);
  const listening = await options.network.listen(server, host, Number(port || (isPlain ? 80 : 443)));
  return {
    url,
    ca,
    schematics: () => [...store.schematics.keys()],
    fetch: (wanted) => fetch(store, options.faults, wanted.slice(url.length)),
    async close() {
      server.closeAllConnections();
      await listening.close();
    },
  };
}

async function serve(
  store: Store,
  base: string,
  { faults, clock, downloadMs = 0 }: FactoryOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/" } = request;
  const path = url.startsWith(`${base}/`) ? url.slice(base.length) : url;
  const fault = faults.next(`factory ${method} ${path}`);
  if (fault === "refuse" || fault === "unreachable") {
    request.socket.destroy();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (fault === "hang") return;
  const said =
    fault === undefined || fault === "lost-reply"
      ? answer(store, method, path, Buffer.concat(chunks).toString("utf8"))
      : outage;
  if (fault === "lost-reply") request.socket.destroy();
  else send(response, said, { isHead: method === "HEAD", path, clock, downloadMs });
}

const outage: Answer = { status: 500, type: "text/plain; charset=utf-8", body: "internal server error\n" };

interface Sending {
  isHead: boolean;
  /** What was asked for: an image says so of itself. */
  path: string;
  clock: Clock;
  downloadMs: number;
}

function send(response: ServerResponse, said: Answer, { isHead, path, ...line }: Sending): void {
  const bytes = typeof said.body === "string" ? Buffer.byteLength(said.body) : said.body.bytes;
  response.writeHead(said.status, { "content-type": said.type, "content-length": bytes });
  if (isHead) response.end();
  else if (typeof said.body === "string") response.end(said.body);
  else sendImage(response, imageContent(path, bytes, line));
}

function fetch(store: Store, faults: FaultBox, path: string): Fetched {
  const fault = faults.next(`factory GET ${path}`);
  if (fault === "error" || fault === "lock") return { status: 500, bytes: 0 };
  if (fault !== undefined) return "cut";
  const { status, body } = answer(store, "GET", path, "");
  return { status, bytes: typeof body === "string" ? body.length : body.bytes };
}

async function certificates(host: string, { clock, random }: Pick<FactoryOptions, "clock" | "random">) {
  const validity = { notBefore: clock.now() - 3_600_000, lifetimeMs: 10 * year, random };
  const authority = await createAuthority({
    kind: "p256",
    organization: "Simulated image factory",
    ...validity,
  });
  const identity = await issueCertificate({
    authority,
    commonName: host,
    usages: ["server"],
    ...(isIP(host) === 0 ? { names: [host] } : { addresses: [host] }),
    ...validity,
  });
  return { ca: authority.cert, identity: { cert: identity.cert, key: identity.key } };
}
