import type net from "node:net";
import { dialDirect, type Dial } from "../lib/index.ts";

/** The wires of a simulated datacenter: where its addresses really listen, and how to reach them. */
export interface SimNetwork {
  /** Lets `server` accept connections made to `host:port`. Resolves when it listens. */
  listen(server: net.Server, host: string, port: number): Promise<Listening>;
  dial: Dial;
  /** Where this is how one machine sees it: all of it. */
  readonly whole?: SimNetwork;
}

export interface Listening {
  close(): Promise<void>;
}

/** Every address listens where it says, so that kubectl and talosctl can connect; only 127.0.0.0/8 is allowed. */
export function loopbackNetwork(): SimNetwork {
  return {
    async listen(server, host, port) {
      if (!host.startsWith("127.")) throw new Error(`simulated address ${host} is not a loopback address`);
      await startListening(server, port, host);
      return { close: () => stopListening(server) };
    },
    dial: dialDirect,
  };
}

/** Any address of the user's file, each behind a port of its own on this machine; nothing leaves it. */
export function mappedNetwork(): SimNetwork {
  const ports = new Map<string, number>();
  return {
    async listen(server, host, port) {
      const key = `${host}:${port}`;
      await startListening(server, 0, "127.0.0.1");
      ports.set(key, (server.address() as net.AddressInfo).port);
      return {
        close: async () => {
          ports.delete(key);
          await stopListening(server);
        },
      };
    },
    dial(to, signal) {
      const port = ports.get(`${to.host}:${to.port}`);
      if (port !== undefined) return dialDirect({ host: "127.0.0.1", port }, signal);
      // Who is there refuses what he does not serve; where nobody is, nobody can.
      const isThere = [...ports.keys()].some((key) => key.startsWith(`${to.host}:`));
      const code = isThere ? "ECONNREFUSED" : "EHOSTUNREACH";
      return Promise.reject(Object.assign(new Error(`connect ${code} ${to.host}:${to.port}`), { code }));
    },
  };
}

function startListening(server: net.Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** Open connections are cut by whoever made the server; here only the door is shut. */
function stopListening(server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
