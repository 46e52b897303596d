import net from "node:net";
import ssh2 from "ssh2";
import { dialDirect, newSshKey, realRandom, type Dial } from "../../../src/lib/index.ts";

/** Somebody in the network of the machines who speaks SSH and lets everybody in. */
export interface FalseSshd {
  /** How often somebody connected. */
  looks: number;
  /** Who logged in, and what they ran. */
  logins: string[];
  commands: string[];
  /** The same way as `dial`, but this one answers for that address. */
  before(dial: Dial, address: string): Dial;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFalseSshd(): Promise<FalseSshd> {
  const open = new Set<net.Socket>();
  const sessions = new ssh2.Server({ hostKeys: [newSshKey(realRandom).private] }, (client) => {
    client.on("error", () => undefined);
    client.on("authentication", (attempt) => {
      if (attempt.method === "publickey" && attempt.signature) sshd.logins.push(attempt.username);
      if (attempt.method === "none") attempt.reject(["publickey"]);
      else attempt.accept();
    });
    client.on("session", (accept) => {
      accept().on("exec", (take, _refuse, { command }) => {
        sshd.commands.push(command);
        const channel = take();
        channel.exit(0);
        channel.end();
      });
    });
  });
  // What waits in the kernel to be sent together is not seen by virtual time.
  const server = net.createServer({ noDelay: true }, (socket) => sessions.injectSocket(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as net.AddressInfo;
  const sshd: FalseSshd = {
    looks: 0,
    logins: [],
    commands: [],
    before: (dial, address) => async (to, signal) => {
      if (to.host !== address || to.port !== 22) return dial(to, signal);
      sshd.looks += 1;
      const socket = await dialDirect({ host: "127.0.0.1", port }, signal);
      open.add(socket);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return sshd;
}
