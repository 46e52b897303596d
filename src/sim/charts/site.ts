import type { IncomingMessage, Server, ServerResponse } from "node:http";
import http from "node:http";
import https from "node:https";
import type { Clock, Random } from "../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import type { FaultBox } from "../faults.ts";
import type { SimNetwork } from "../network.ts";
import { answer, type Answer } from "./answer.ts";
import type { SimChart } from "./chart.ts";
import { withoutSlash, type ChartPlace } from "./find-chart.ts";

export interface ChartSiteOptions {
  network: SimNetwork;
  host: string;
  port: number;
  clock: Pick<Clock, "now">;
  random: Random;
  /** Calls are named `charts GET /path`. */
  faults: FaultBox;
  charts: readonly SimChart[];
  /** Without TLS. */
  isPlain?: boolean;
}

/** A running site that stands for every chart server there is. */
export interface SimChartSite {
  /** PEM of the authority that vouches for it; helm takes it as a file. */
  ca: string;
  /** The same chart at this site. */
  mirrored(place: ChartPlace): ChartPlace;
  close(): Promise<void>;
}

const year = 365 * 24 * 3_600_000;

export async function startChartSite(options: ChartSiteOptions): Promise<SimChartSite> {
  const { host, port, network, faults, charts } = options;
  const { ca, identity } = await certificates(options);
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    serve(charts, faults, request, response);
  const server: Server = options.isPlain ? http.createServer(handle) : https.createServer(identity, handle);
  const listening = await network.listen(server, host, port);
  const base = `${options.isPlain ? "http" : "https"}://${host}:${port}`;
  return {
    ca,
    mirrored: (place) =>
      "oci" in place
        ? { oci: place.oci.replace("oci://", `oci://${host}:${port}/`) }
        : { repo: withoutSlash(place.repo).replace(/^https:\/\//, `${base}/`), chart: place.chart },
    async close() {
      server.closeAllConnections();
      await listening.close();
    },
  };
}

function serve(
  charts: readonly SimChart[],
  faults: FaultBox,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = "GET", url = "/" } = request;
  const path = decodeURIComponent(url.replace(/\?.*$/, ""));
  const fault = faults.next(`charts ${method} ${path}`);
  if (fault === "hang") return;
  if (fault === "error" || fault === "unreachable" || fault === "lock") send(response, outage, method);
  else if (fault === undefined) send(response, answer(charts, path), method);
  else request.socket.destroy();
}

const outage: Answer = { status: 503, type: "text/plain", body: "service unavailable\n" };

function send(response: ServerResponse, said: Answer, method: string): void {
  response.writeHead(said.status, {
    "content-type": said.type,
    "content-length": Buffer.byteLength(said.body),
    ...said.headers,
  });
  response.end(method === "HEAD" ? undefined : said.body);
}

async function certificates({ host, clock, random }: ChartSiteOptions) {
  const validity = { notBefore: clock.now() - 3_600_000, lifetimeMs: 10 * year, random };
  const authority = await createAuthority({ kind: "p256", organization: "Simulated charts", ...validity });
  const identity = await issueCertificate({
    authority,
    commonName: host,
    usages: ["server"],
    addresses: [host],
    ...validity,
  });
  return { ca: authority.cert, identity: { cert: identity.cert, key: identity.key } };
}
