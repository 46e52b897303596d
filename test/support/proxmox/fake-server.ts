import https from "node:https";
import type { AddressInfo } from "node:net";
import {
  connectProxmox,
  type ProxmoxClient,
  type ProxmoxOptions,
} from "../../../src/clients/proxmox/index.ts";
import { dialDirect, realRandom, virtualTime } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../../src/pki/index.ts";

/** A call as the server took it. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  headers: Record<string, unknown>;
}
/** What it is to answer; `text` is no JSON. */
export interface Reply {
  status?: number;
  reason?: string;
  data?: unknown;
  errors?: Record<string, string>;
  message?: string;
  text?: string;
  /** Cut the connection instead of answering. */
  cut?: true;
  unreachable?: true;
}

export interface ScriptedServer {
  url: string;
  /** PEM of the authority that vouches for it, and its own certificate. */
  ca: string;
  cert: string;
  seen: Seen[];
  /** How many connections were ever opened. */
  connections(): number;
  /** A client that trusts it. */
  connect(options?: Partial<ProxmoxOptions>): ProxmoxClient;
  [Symbol.dispose](): void;
}

const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
const identities = makeIdentities();

async function makeIdentities(): Promise<{ authority: Identity; leaf: Identity }> {
  const authority = await createAuthority({ kind: "p256", organization: "lab", ...dates });
  const leaf = await issueCertificate({
    authority,
    commonName: "pve1",
    usages: ["server"],
    addresses: ["127.0.0.1"],
    names: ["localhost"],
    ...dates,
  });
  return { authority, leaf };
}

/** An HTTPS server that answers as `reply` says and remembers what it was asked. */
export async function serveScript(reply: (seen: Seen, count: number) => Reply): Promise<ScriptedServer> {
  const { authority, leaf } = await identities;
  const seen: Seen[] = [];
  let connections = 0;
  const server = https.createServer({ key: leaf.key, cert: leaf.cert });
  server.on("request", (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const url = new URL(request.url ?? "", "https://x");
      const call: Seen = {
        method: request.method ?? "",
        path: decodeURIComponent(url.pathname.replace("/api2/json", "")),
        query: url.searchParams,
        form: new URLSearchParams(body),
        headers: request.headers,
      };
      seen.push(call);
      const said = reply(call, seen.length);
      if (said.unreachable) return;
      if (said.cut) {
        request.socket.destroy();
        return;
      }
      const { status = 200, data = null, message, errors } = said;
      if (said.text !== undefined) {
        response.writeHead(status, said.reason ?? "", { "content-type": "text/plain" }).end(said.text);
        return;
      }
      response.writeHead(status, said.reason ?? "OK", { "content-type": "application/json;charset=UTF-8" });
      response.end(JSON.stringify({ data, ...(message && { message }), ...(errors && { errors }) }));
    });
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const clients: ProxmoxClient[] = [];
  return {
    url,
    ca: authority.cert,
    cert: leaf.cert,
    seen,
    connections: () => connections,
    connect(options = {}) {
      const client = connectProxmox({
        url,
        token: { id: "tool@pve!ci", secret: "12345678-secret" },
        trust: { ca: authority.cert },
        dial: dialDirect,
        clock: virtualTime().clock,
        ...options,
      });
      clients.push(client);
      return client;
    },
    [Symbol.dispose]() {
      for (const client of clients) client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
