import https from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { connectKube, type KubeClient, type KubeOptions } from "../../../src/clients/kube/index.ts";
import { dialDirect, realRandom } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";
import { realClock } from "../../../src/lib/index.ts";

export interface KubeReply {
  code?: number;
  body: unknown;
  headers?: Record<string, string>;
  afterMs?: number;
}

/** A client of a server that answers as told, for what no real server can be brought to say; and what it was asked. */
export async function scriptedKube(
  reply: (path: string, count: number, headers: Record<string, unknown>) => KubeReply,
  options: Partial<KubeOptions> = {},
): Promise<{ kube: KubeClient; asked: string[] }> {
  const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...dates });
  const leaf = await issueCertificate({ authority, usages: ["server"], addresses: ["127.0.0.1"], ...dates });
  const asked: string[] = [];
  const server = https.createServer(leaf, (request, response) => {
    asked.push(request.url ?? "");
    const {
      code = 200,
      body,
      headers,
      afterMs = 0,
    } = reply(request.url ?? "", asked.length, request.headers);
    setTimeout(() => {
      response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    }, afterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const access = { server: `https://127.0.0.1:${port}`, ca: authority.cert, token: "hush" };
  const kube = connectKube({ clock: realClock, kubeconfig: access, dial: dialDirect, ...options });
  onTestFinished(() => {
    kube.close();
    server.closeAllConnections();
    server.close();
  });
  return { kube, asked };
}
