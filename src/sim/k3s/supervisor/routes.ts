import type { IncomingMessage } from "node:http";
import type tls from "node:tls";
import type { K3sCluster } from "../cluster.ts";
import type { Journal } from "../journal.ts";
import type { Life } from "../life.ts";
import { encryptionStatus, rotateKeys } from "./encryption.ts";
import { kubeletCertificate } from "./leaves.ts";
import { checkPassword } from "./node-password.ts";
import { hashOfToken, writeToken } from "./token.ts";
import { paths } from "../paths.ts";
import type { Handover, Place } from "../take-place.ts";

export interface Answer {
  code: number;
  type: string;
  body: string;
}

/** A refusal in the form Kubernetes gives to its own. */
export class SupervisorError extends Error {
  override readonly name = "SupervisorError";
  readonly status;
  /** So frequent during the start that nobody writes it down. */
  readonly isQuiet: boolean;

  constructor(code: number, reason: string, message: string, isQuiet = false) {
    super(message);
    // The API server's own refusals have an apiVersion, these have none.
    this.status = { kind: "Status", metadata: {}, status: "Failure", message, reason, code };
    this.isQuiet = isQuiet;
  }
}

/** What a server answers beside the Kubernetes API; undefined for everything that is not its own. */
export function routesOf(
  life: Life,
  place: Place,
  isReady: () => boolean,
): (message: IncomingMessage) => Answer | undefined | Promise<Answer> {
  const { host, journal } = life;
  const { cluster, trust } = place;
  const { critical } = cluster.bootstrap;
  const only =
    <T extends Answer | Promise<Answer>>(roles: string[], work: (message: IncomingMessage) => T) =>
    (message: IncomingMessage): T => {
      const role = roleOf(message, place, journal);
      if (!roles.includes(role)) throw new SupervisorError(403, "Forbidden", "forbidden");
      return work(message);
    };
  const agents = <T extends Answer | Promise<Answer>>(work: (message: IncomingMessage) => T) =>
    only(["agent", "node"], work);
  const certificate = agents((message) => {
    admitNode(message, cluster, isReady());
    return text(trust["server-ca.crt"] ?? "");
  });
  const open = (work: () => Answer) => () => work();
  const routes: Record<string, (message: IncomingMessage) => Answer | Promise<Answer>> = {
    "/cacerts": open(() => text(trust["server-ca.crt"] ?? "")),
    "/ping": open(() => ({ ...text("pong"), type: "text/plain; charset=utf-8" })),
    "/v1-k3s/readyz": agents(() => {
      demandCore(isReady());
      return text("ok");
    }),
    "/v1-k3s/config": agents(() => json({ ...critical, ClusterID: cluster.id })),
    "/v1-k3s/apiservers": agents(() => json([...cluster.apiServers].map((address) => `${address}:6443`))),
    "/v1-k3s/server-ca.crt": agents(() => text(trust["server-ca.crt"] ?? "")),
    "/v1-k3s/client-ca.crt": agents(() => text(trust["client-ca.crt"] ?? "")),
    "/v1-k3s/serving-kubelet.crt": certificate,
    "/v1-k3s/client-kubelet.crt": agents(async (message) => {
      admitNode(message, cluster, isReady());
      return text(await kubeletCertificate(host, trust, String(message.headers["k3s-node-name"])));
    }),
    "/v1-k3s/server-bootstrap": only(["server"], () => {
      if (cluster.isAlone) throw new SupervisorError(400, "BadRequest", "etcd disabled");
      return json({ cluster: cluster.id, trust } satisfies Handover);
    }),
    "/db/info": only(["server"], () => memberList(cluster)),
    "/v1-k3s/token": only(["server"], async (message) => replaceToken(life, place, await putInto(message))),
    "/v1-k3s/encrypt/status": only(["server"], () => json(encryptionStatus(host, cluster))),
    "/v1-k3s/encrypt/config": only(["server"], async (message) => {
      const { stage } = await putInto(message);
      const why =
        stage === "rotate_keys"
          ? rotateKeys(host, cluster, place.memberId ?? memberHere(life, cluster))
          : `unknown stage ${String(stage)}`;
      if (why !== undefined) throw new SupervisorError(400, "BadRequest", `secret-encrypt: ${why}`);
      return text("");
    }),
  };
  return (message) => {
    const { pathname } = new URL(message.url ?? "/", "https://k3s");
    if (pathname.startsWith("/static/")) {
      const file = host.files.read(`${paths.static}/${pathname.slice("/static/".length)}`);
      return file === undefined ? { ...text("404 page not found\n"), code: 404 } : text(file.toString());
    }
    return routes[pathname]?.(message);
  };
}

/** Servers that joined in this life of theirs are found by their address. */
const memberHere = ({ address }: Life, { members }: K3sCluster): string =>
  members.find((member) => member.address === address)?.id ?? "";

async function putInto(message: IncomingMessage): Promise<Record<string, unknown>> {
  if (message.method !== "PUT") throw new SupervisorError(405, "MethodNotAllowed", "method not allowed");
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
  } catch {
    throw new SupervisorError(400, "BadRequest", "unexpected end of JSON input");
  }
}

/** The others keep the old one until they start again, and start only with the new one. */
function replaceToken({ host }: Life, place: Place, { newToken }: Record<string, unknown>): Answer {
  if (typeof newToken !== "string" || newToken === "")
    throw new SupervisorError(400, "BadRequest", "token must not be empty");
  const { cluster, passwords, trust } = place;
  if (passwords.agent === passwords.server) passwords.agent = newToken;
  passwords.server = newToken;
  host.files.write(paths.token, `${writeToken("server", newToken, trust["server-ca.crt"] ?? "")}\n`, 0o600);
  cluster.bootstrap.tokenHash = hashOfToken(newToken);
  cluster.changed();
  return text("");
}

const text = (body: string): Answer => ({ code: 200, type: "text/plain", body });
const json = (value: unknown): Answer => ({
  code: 200,
  type: "application/json",
  body: `${JSON.stringify(value)}\n`,
});

function demandCore(isReady: boolean): void {
  if (!isReady) throw new SupervisorError(503, "ServiceUnavailable", "runtime core not ready");
}

export const senderOf = ({ socket }: IncomingMessage): string =>
  `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`;

type Role = "server" | "agent" | "node" | "nobody";

/** By password, or by a certificate of this cluster. A wrong password is not the same as none. */
function roleOf(message: IncomingMessage, { passwords }: Place, journal: Journal): Role {
  const [scheme, value = ""] = (message.headers.authorization ?? "").split(" ");
  if (scheme === "Basic") {
    const [user = "", ...rest] = Buffer.from(value, "base64").toString("utf8").split(":");
    const password = rest.join(":");
    if (user === "server" && password === passwords.server) return "server";
    if (user === "node" && password === passwords.agent) return "agent";
    journal.error(
      `Failed to authenticate request from ${senderOf(message)}: invalid username/password combination`,
    );
    throw new SupervisorError(401, "Unauthorized", "not authorized");
  }
  if (scheme === "Bearer") throw new SupervisorError(401, "Unauthorized", "not authorized");
  const socket = message.socket as tls.TLSSocket;
  const groups = socket.authorized ? [socket.getPeerCertificate().subject.O ?? []].flat() : [];
  return groups.includes("system:nodes") ? "node" : "nobody";
}

/** A name belongs to the first who came with it. */
function admitNode(message: IncomingMessage, cluster: K3sCluster, isReady: boolean): void {
  const name = String(message.headers["k3s-node-name"] ?? "").toLowerCase();
  const password = String(message.headers["k3s-node-password"] ?? "");
  if (name === "") throw new SupervisorError(400, "BadRequest", "node name not set");
  if (password === "") throw new SupervisorError(400, "BadRequest", "node password not set");
  demandCore(isReady);
  if (!checkPassword(cluster.store, name, password))
    throw new SupervisorError(
      403,
      "Forbidden",
      `unable to verify password for node ${name}: hash does not match`,
    );
}

/** Member ids are numbers beyond what JSON.stringify can write. */
function memberList(cluster: K3sCluster): Answer {
  // The list is read by agreement, so a server that has lost the majority cannot give it.
  if (!cluster.hasQuorum)
    throw new SupervisorError(
      500,
      "InternalError",
      "failed to get etcd MemberList: context deadline exceeded",
    );
  const members = cluster.members.map(({ id, name, address, isLearner }) => ({
    ID: BigInt(`0x${id}`).toString(),
    name,
    peerURLs: [`https://${address}:2380`],
    clientURLs: [`https://${address}:2379`],
    isLearner: isLearner || undefined,
  }));
  const answer = json({ members });
  return { ...answer, body: answer.body.replaceAll(/"ID":"(\d+)"/g, '"ID":$1') };
}
