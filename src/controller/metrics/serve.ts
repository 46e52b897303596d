import http from "node:http";
import type { AddressInfo } from "node:net";

/** What the kubelet and Prometheus ask for. */
export interface Probes {
  metrics(): string;
  /** Why no work can be done yet, if that is so. */
  notReady(): string | undefined;
}

export interface ProbeServer {
  port: number;
  close(): Promise<void>;
}

/** `/metrics`, `/healthz` and `/readyz`, over plain HTTP: none of them tells a secret. */
export async function serveProbes(
  probes: Probes,
  { port, address }: { port: number; address?: string | undefined },
): Promise<ProbeServer> {
  const server = http.createServer((request, response) => {
    const answer = answerTo(request, probes);
    response.writeHead(answer.status, {
      "content-type": answer.type ?? "text/plain; charset=utf-8",
      "cache-control": "no-store",
    });
    response.end(request.method === "HEAD" ? undefined : answer.text);
  });
  // A scraper that opens a connection and says nothing must not hold it.
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(
  { method, url = "/" }: http.IncomingMessage,
  probes: Probes,
): { status: number; text: string; type?: string } {
  if (method !== "GET" && method !== "HEAD") return { status: 405, text: "only GET\n" };
  switch (url.split("?", 1)[0]) {
    case "/metrics":
      return { status: 200, text: probes.metrics(), type: "text/plain; version=0.0.4; charset=utf-8" };
    case "/healthz":
      return { status: 200, text: "ok\n" };
    case "/readyz": {
      const why = probes.notReady();
      return why === undefined ? { status: 200, text: "ok\n" } : { status: 503, text: `${why}\n` };
    }
    default:
      return { status: 404, text: "/metrics, /healthz, /readyz\n" };
  }
}
