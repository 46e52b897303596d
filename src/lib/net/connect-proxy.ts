import http from "node:http";
import type net from "node:net";
import { connectionText } from "./connection-text.ts";
import type { Dial, Target } from "./dial.ts";
import { joinSockets } from "./join-sockets.ts";
import { loopbackServer, type LocalPort } from "./loopback-server.ts";

export interface ProxyOptions {
  dial: Dial;
  /** Everybody on this machine may ask it; it leads nowhere else. */
  allows(to: Target): boolean;
  /** Any free one unless it is given. */
  port?: number | undefined;
  /** A connection that could not be made; the program that asked is told too. */
  onTrouble?(to: Target, thrown: unknown): void;
}

/**
 * A proxy of this machine, `http://127.0.0.1:PORT`, for programs that know proxies but not where `dial` leads. It passes on
 * whole connections (`CONNECT`), so that they check the certificate of whom they asked for.
 */
export function connectProxy(options: ProxyOptions): Promise<LocalPort> {
  const { ended, keep, listen } = loopbackServer();
  const server = http.createServer((_request, response) => {
    response.writeHead(405, "only CONNECT").end();
  });
  server.on("connection", keep);
  server.on("connect", (request, near: net.Socket, head: Buffer) => {
    near.on("error", () => undefined);
    near.setNoDelay(true);
    const refuse = (status: number, why: string): void =>
      void near.end(`HTTP/1.1 ${status} ${why.replace(/[^\x20-\x7e]+/g, " ")}\r\nContent-Length: 0\r\n\r\n`);
    const to = targetOf(request.url ?? "");
    if (!to || !options.allows(to)) {
      refuse(403, `this proxy does not lead to ${request.url ?? ""}`);
      return;
    }
    options.dial(to, ended).then(
      (far) => {
        keep(far);
        near.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length > 0) far.write(head);
        joinSockets(near, far);
      },
      (thrown: unknown) => {
        options.onTrouble?.(to, thrown);
        refuse(502, `cannot reach ${to.host}:${to.port}: ${connectionText(thrown)}`);
      },
    );
  });
  return listen(server, options.port);
}

function targetOf(authority: string): Target | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(authority) ?? [];
  const host = bracketed ?? plain;
  return host === undefined ? undefined : { host, port: Number(port) };
}
