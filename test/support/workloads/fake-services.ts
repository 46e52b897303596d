import { once } from "node:events";
import { rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { randomBytes } from "node:crypto";
import type { KubeClient, KubeObject } from "../../../src/clients/kube/index.ts";
import { realRandom } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";

/** What a program behind a Service answers: an object, or nothing for what it does not know. */
export type Answers = (path: string, body: unknown) => unknown;

/** The cluster's network as the API server sees it: Services with a ready pod answer, everything else is refused. */
export interface PretendServices {
  /** Where the API server asks for a way in; see RealKubeOptions. */
  socket: string;
  /** PEM of the authority behind all their certificates. */
  ca: string;
  /** Before this there is no cluster to look Services up in. */
  connect(kube: KubeClient): void;
  close(): void;
}

interface Service extends KubeObject {
  spec: { clusterIP?: string };
}

interface EndpointSlice extends KubeObject {
  endpoints?: { conditions?: { ready?: boolean } }[] | null;
}

/** `answers` by namespace and name of the Service. */
export async function pretendServices(answers: Readonly<Record<string, Answers>>): Promise<PretendServices> {
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "services", ...validity });
  const names = Object.keys(answers).map((key) => `${key.split("/").toReversed().join(".")}.svc`);
  const identity = await issueCertificate({ authority, usages: ["server"], names, ...validity });
  const servers = new Map(
    Object.entries(answers).map(([key, answer]) => [key, https.createServer(identity, answering(answer))]),
  );
  let kube: KubeClient | undefined;
  const proxy = http.createServer();
  proxy.on("connect", (request, socket) => {
    const [address = ""] = (request.url ?? "").split(":");
    socket.on("error", () => {});
    serviceAt(kube, address).then(
      (key) => {
        const server = key === undefined ? undefined : servers.get(key);
        socket.write(`HTTP/1.1 ${server ? "200 OK" : "503 Service Unavailable"}\r\n\r\n`);
        if (server) server.emit("connection", socket);
        else socket.destroy();
      },
      () => socket.destroy(),
    );
  });
  const socket = path.join(os.tmpdir(), `slipway-way-in-${randomBytes(4).toString("hex")}`);
  await once(proxy.listen(socket), "listening");
  return {
    socket,
    ca: authority.cert,
    connect(client) {
      kube = client;
    },
    close() {
      proxy.closeAllConnections();
      proxy.close();
      rmSync(socket, { force: true });
    },
  };
}

async function serviceAt(kube: KubeClient | undefined, address: string): Promise<string | undefined> {
  const services = await kube?.list<Service>({ apiVersion: "v1", kind: "Service" });
  const service = services?.items.find(({ spec }) => spec.clusterIP === address);
  if (!kube || !service) return undefined;
  const { name, namespace = "" } = service.metadata;
  const slices = await kube.list<EndpointSlice>({
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace },
    labels: `kubernetes.io/service-name=${name}`,
  });
  const isReady = slices.items.some(({ endpoints }) =>
    endpoints?.some(({ conditions }) => conditions?.ready),
  );
  return isReady ? `${namespace}/${name}` : undefined;
}

const answering =
  (answer: Answers) =>
  (request: http.IncomingMessage, response: http.ServerResponse): void => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://service");
      const said = answer(pathname, text === "" ? undefined : JSON.parse(text));
      response.writeHead(said === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(said ?? {}));
    });
  };
