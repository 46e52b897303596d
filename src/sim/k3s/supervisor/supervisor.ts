import https from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Identity } from "../../../pki/index.ts";
import type { HostView } from "../../linux/index.ts";
import type { Journal } from "../journal.ts";
import { senderOf, SupervisorError, type Answer } from "./routes.ts";

export const supervisorPort = 6443;

export interface SupervisorParts {
  host: HostView;
  journal: Journal;
  identity: Identity;
  clientCa: string;
  /** Undefined for what is left to the Kubernetes API. */
  route(message: IncomingMessage): Answer | undefined | Promise<Answer>;
}

/** The one port of a server: its own paths, and behind them the Kubernetes API once that runs. */
export interface Supervisor {
  /** Answers at one more address. Returns how to stop. */
  listen(address: string): Promise<() => Promise<void>>;
  /** From now on paths are looked at; before, everything is answered with 503. */
  beginRouting(): void;
  /** Who answers for Kubernetes; undefined when nobody does. */
  api: ((message: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export function supervisorOf(parts: SupervisorParts): Supervisor {
  const { host, journal, identity, clientCa } = parts;
  let isRouting = false;
  const supervisor: Supervisor = {
    api: undefined,
    beginRouting() {
      isRouting = true;
    },
    async listen(address) {
      const sockets = new Set<Duplex>();
      // Strangers get through TLS and are refused path by path.
      const trust = { ca: clientCa, requestCert: true, rejectUnauthorized: false };
      const server = https.createServer({ ...identity, ...trust }, handle);
      server.keepAliveTimeout = 90_000;
      server.on("connection", (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
      });
      server.on("tlsClientError", (_error, socket) => socket.destroy());
      const listening = await host.network.listen(server, address, supervisorPort);
      return async () => {
        const closed = listening.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      };
    },
  };

  function handle(message: IncomingMessage, response: ServerResponse): void {
    const refuse = (error: unknown): void => {
      if (!(error instanceof SupervisorError)) throw error;
      const { status, isQuiet } = error;
      if (!isQuiet)
        journal.error(`Sending HTTP ${status.code} response to ${senderOf(message)}: ${status.message}`);
      send(response, { code: status.code, type: "application/json", body: `${JSON.stringify(status)}\n` });
    };
    try {
      if (!isRouting) throw tooEarly(message, journal);
      const answer = parts.route(message);
      if (answer instanceof Promise) void answer.then((late) => send(response, late)).catch(refuse);
      else if (answer !== undefined) send(response, answer);
      else if (supervisor.api !== undefined) supervisor.api(message, response);
      else throw new SupervisorError(503, "ServiceUnavailable", "apiserver not ready", true);
    } catch (error) {
      refuse(error);
    }
  }
  return supervisor;
}

/** Who asks for the members of etcd so early is refused like somebody with a wrong password. */
function tooEarly(message: IncomingMessage, journal: Journal): SupervisorError {
  if (!(message.url ?? "").startsWith("/db/"))
    return new SupervisorError(503, "ServiceUnavailable", "starting");
  journal.error("Authenticate not initialized: serverConfig.Runtime.Authenticator is nil");
  return new SupervisorError(401, "Unauthorized", "not authorized");
}

function send(response: ServerResponse, { code, type, body }: Answer): void {
  response.writeHead(code, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
