import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Clock, Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import type { FaultBox } from "../faults.ts";
import { imageContent, sendImage } from "../image-content.ts";
import type { Listening, SimNetwork } from "../network.ts";

export interface DownloadsOptions {
  /** Addresses of images; their sites have any other too. */
  urls: readonly string[];
  network: SimNetwork;
  clock: Clock;
  random: Random;
  faults: FaultBox;
  downloadMs: number;
}

export interface SimDownloads {
  /** PEM of the authority that vouches for every site; empty when there is none. */
  ca: string;
  close(): Promise<void>;
}

const year = 365 * 24 * 3_600_000;
/** About what a small cloud image takes. */
const imageBytes = 96 * 2 ** 20;

export async function startDownloads(options: DownloadsOptions): Promise<SimDownloads> {
  const { network, clock, random } = options;
  const origins = [...new Set(options.urls.map((url) => new URL(url).origin))];
  // Where there is none, nothing is left to chance either: what comes after it stays the same.
  if (origins.length === 0) return { ca: "", close: async () => {} };
  const validity = { notBefore: clock.now() - 3_600_000, lifetimeMs: 10 * year, random };
  const authority = await createAuthority({ kind: "p256", organization: "Simulated downloads", ...validity });
  const open: { server: http.Server; listening: Listening }[] = [];
  for (const origin of origins) {
    const { protocol, hostname, port } = new URL(origin);
    const host = hostname.replace(/^\[|\]$/g, "");
    const isPlain = protocol === "http:";
    const identity = await issueCertificate({
      authority,
      commonName: host,
      usages: ["server"],
      ...(isIP(host) === 0 ? { names: [host] } : { addresses: [host] }),
      ...validity,
    });
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      serve(origin, options, request, response);
    const server = isPlain
      ? http.createServer(handle)
      : https.createServer({ cert: identity.cert, key: identity.key }, handle);
    open.push({
      server,
      listening: await network.listen(server, host, Number(port || (isPlain ? 80 : 443))),
    });
  }
  return {
    ca: authority.cert,
    async close() {
      for (const { server, listening } of open) {
        server.closeAllConnections();
        await listening.close();
      }
    },
  };
}

function serve(
  origin: string,
  { faults, clock, downloadMs }: DownloadsOptions,
  { method = "GET", url = "/", socket }: IncomingMessage,
  response: ServerResponse,
): void {
  const fault = faults.next(`download ${method} ${origin}${url}`);
  if (fault === "hang") return;
  if (fault === "error" || fault === "lock") {
    response.writeHead(503).end();
    return;
  }
  if (fault !== undefined) {
    socket.destroy();
    return;
  }
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": imageBytes });
  if (method === "HEAD") response.end();
  else sendImage(response, imageContent(`${origin}${url}`, imageBytes, { clock, downloadMs }));
}
