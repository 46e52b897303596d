import http from "node:http";
import type https from "node:https";
import net from "node:net";

const tlsHandshake = 22;

/** The port of an API: TLS goes in, and who speaks plain HTTP is sent to https as by the real server. */
export function frontDoor(api: https.Server): { server: net.Server; closeAll(): void } {
  const open = new Set<net.Socket>();
  const signpost = http.createServer((request, response) => {
    const location = `https://${request.headers.host ?? "localhost"}${request.url ?? "/"}`;
    response.writeHead(301, "Moved Permanently", { Location: location, Connection: "close" });
    response.end();
  });
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === tlsHandshake ? api : signpost).emit("connection", socket);
      queueMicrotask(() => socket.resume());
    });
  });
  return {
    server,
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}
