import type net from "node:net";
import tls from "node:tls";
import { dialDirect, realRandom, type Dial } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";

/** Somebody in the network of the nodes who answers like a Talos node that waits for its config. */
export interface FalseNode {
  port: number;
  /** How often somebody looked at its certificate. */
  looks: number;
  /** What anybody sent to it, without the handshakes. */
  bytes: number;
  /** The same way as `dial`, but this node answers for that address. */
  before(dial: Dial, address: string): Dial;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFalseNode(host = "127.0.0.1", port = 0): Promise<FalseNode> {
  const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "ed25519", ...dates });
  const identity = await issueCertificate({
    authority,
    commonName: "maintenance-service.talos.dev",
    usages: ["server"],
    addresses: ["127.0.0.1"],
    ...dates,
  });
  const server = tls.createServer({ ...identity, ALPNProtocols: ["h2"] }, (socket) => {
    socket.on("data", (bytes: Buffer) => {
      node.bytes += bytes.length;
      socket.destroy();
    });
    socket.on("error", () => socket.destroy());
  });
  server.on("tlsClientError", () => undefined);
  const open = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    node.looks += 1;
    open.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const node: FalseNode = {
    port: (server.address() as net.AddressInfo).port,
    looks: 0,
    bytes: 0,
    before: (dial, address) => (to, signal) =>
      to.host === address && to.port === 50_000
        ? dialDirect({ host, port: node.port }, signal)
        : dial(to, signal),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}
