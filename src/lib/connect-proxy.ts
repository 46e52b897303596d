import http from "node:http";
import type net from "node:net";
import { connectionWords } from "./connection-words.ts";
import type { Dial, Target } from "./dial.ts";
import { joinSockets } from "./join-sockets.ts";

/** A proxy of this machine, `http://127.0.0.1:PORT`, for programs that know proxies but not where `dial` leads. */
export interface ConnectProxy {
  port: number;
  close(): Promise<void>;
}

export interface ProxyOptions {
  dial: Dial;
  /** Everybody on this machine may ask it; it leads nowhere else. */
  allows(to: Target): boolean;
  /** Any free one unless it is given. */
  port?: number | undefined;
  /** A connection that could not be made; the program that asked is told too. */
  onTrouble?(to: Target, thrown: unknown): void;
}

/** Passes on whole connections (`CONNECT`), so that programs check the certificate of whom they asked for. */
export async function connectProxy(options: ProxyOptions): Promise<ConnectProxy> {
  const ended = new AbortController();
  const open = new Set<net.Socket>();
  const keep = (socket: net.Socket): void => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
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
    options.dial(to, ended.signal).then(
      (far) => {
        keep(far);
        near.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length > 0) far.write(head);
        joinSockets(near, far);
      },
      (thrown: unknown) => {
        options.onTrouble?.(to, thrown);
        refuse(502, `cannot reach ${to.host}:${to.port}: ${connectionWords(thrown)}`);
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    close: () => {
      ended.abort(new Error("no longer needed"));
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function targetOf(authority: string): Target | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(authority) ?? [];
  const host = bracketed ?? plain;
  return host === undefined ? undefined : { host, port: Number(port) };
}
