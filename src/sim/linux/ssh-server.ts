import { timingSafeEqual } from "node:crypto";
import net from "node:net";
import type { AuthContext, Connection, ServerChannel, Session, TcpipRequestInfo, utils } from "ssh2";
import { loadSsh2 } from "../../lib/index.ts";
import type { Listening } from "../network.ts";
import { plainCommand, runCommand } from "./commands/index.ts";
import { root } from "./files/file-tree.ts";
import type { LinuxHost } from "./host.ts";

const port = 22;

/** The SSH server of a host: one user, his keys, commands and ways to other ports. */
export class SshServer {
  private readonly host: LinuxHost;
  private readonly sockets = new Set<net.Socket>();
  private doors: Listening[] = [];

  constructor(host: LinuxHost) {
    this.host = host;
  }

  async open(hostKey: string): Promise<void> {
    const ssh2 = await loadSsh2();
    const { host } = this;
    const server = new ssh2.Server({ hostKeys: [hostKey], ident: host.facts.sshd }, (client) => {
      client.on("authentication", (login) => this.authenticate(login, ssh2.utils.parseKey));
      client.on("ready", () => this.serve(client));
      client.on("error", () => undefined);
    });
    for (const address of host.addresses) {
      const door = net.createServer({ noDelay: true }, (socket) => {
        this.sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => this.sockets.delete(socket));
        server.injectSocket(socket);
      });
      this.doors.push(await host.network.listen(door, address, port));
    }
  }

  /** Every connection ends at once. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const { doors } = this;
    this.doors = [];
    await Promise.all(doors.map((door) => door.close()));
  }

  private authenticate(login: AuthContext, parse: ParseKey): void {
    const refuse = (): void => login.reject(["publickey"]);
    const { host } = this;
    if (login.method !== "publickey" || login.username !== host.disk.user) return refuse();
    if (host.fault("ssh-login-refused")) return refuse();
    const { data } = login.key;
    const known = this.authorizedKeys().flatMap((line) => {
      const key = parse(line);
      return key instanceof Error ? [] : [key];
    });
    const key = known.find((each) => same(each.getPublicSSH(), data));
    if (!key) return refuse();
    // Without a signature the client only asks whether this key would do.
    if (!login.signature || !login.blob) return login.accept();
    if (key.verify(login.blob, login.signature, login.hashAlgo)) login.accept();
    else refuse();
  }

  /** Read anew each time, as sshd does. */
  private authorizedKeys(): string[] {
    const file = `/home/${this.host.disk.user}/.ssh/authorized_keys`;
    if (!this.host.files.find(file)) return [];
    return this.host.files.read(file, root).toString().split("\n");
  }

  private serve(client: Connection): void {
    client.on("session", (accept) => this.serveSession(accept(), client));
    client.on("tcpip", (accept, reject, info) => void this.forward(info, accept, reject));
  }

  private serveSession(session: Session, client: Connection): void {
    const cut = new AbortController();
    session.on("env", (accept) => accept?.());
    session.on("pty", (accept) => accept?.());
    session.on("signal", (accept, _reject, { name }) => {
      accept?.();
      cut.abort(name);
    });
    session.on("close", () => cut.abort("HUP"));
    session.on("exec", (accept, _reject, { command }) => {
      const channel = accept();
      const kind = this.host.world.faults.next(`linux ${this.host.name} ${plainCommand(command)}`);
      if (kind === "hang") return;
      if (kind === "die") this.host.die();
      else if (kind === "refuse") client.end();
      else if (kind === undefined || kind === "lost-reply")
        void this.run(channel, command, cut.signal, kind === undefined ? undefined : client);
      else finish(channel, { code: 1, stdout: "", stderr: `bash: line 1: ${command}: Input/output error\n` });
    });
  }

  private async run(
    channel: ServerChannel,
    line: string,
    signal: AbortSignal,
    lost: Connection | undefined,
  ): Promise<void> {
    const ended = AbortSignal.any([signal, this.host.running]);
    const killed = new Promise<never>((_resolve, reject) => {
      if (ended.aborted) reject(new Error("killed"));
      else ended.addEventListener("abort", () => reject(new Error("killed")), { once: true });
    });
    killed.catch(() => undefined);
    const by = { user: this.host.disk.user, isRoot: false };
    const stdin = (): Promise<Buffer> => readAll(channel);
    try {
      const work = runCommand(this.host, { line, by, stdin, signal: ended });
      work.catch(() => undefined);
      const outcome = await Promise.race([work, killed]);
      if (lost) lost.end();
      else finish(channel, outcome);
    } catch (thrown) {
      if (!ended.aborted) {
        finish(channel, { code: 70, stdout: "", stderr: `the simulator failed: ${String(thrown)}\n` });
        return;
      }
      if (!this.host.running.aborted && channel.writable) {
        channel.exit(String(signal.reason));
        channel.end();
      }
    }
  }

  /** A way from the host to any port it can reach; its own loopback is where it listens. */
  private async forward(
    { destIP, destPort }: TcpipRequestInfo,
    accept: () => ServerChannel,
    reject: () => void,
  ): Promise<void> {
    const isOwn = /^(?:localhost|127\.0\.0\.1|::1)$/.test(destIP);
    const target = { host: isOwn ? (this.host.addresses[0] ?? destIP) : destIP, port: destPort };
    try {
      const socket = await this.host.network.dial(target, this.host.running);
      const channel = accept();
      this.sockets.add(socket);
      socket.once("close", () => {
        this.sockets.delete(socket);
        channel.destroy();
      });
      socket.on("error", () => undefined);
      channel.on("error", () => socket.destroy());
      channel.once("close", () => socket.destroy());
      socket.pipe(channel).pipe(socket);
    } catch {
      reject();
    }
  }
}

type ParseKey = typeof utils.parseKey;

const same = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

function readAll(channel: ServerChannel): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    channel.on("data", (chunk: Buffer) => chunks.push(chunk));
    channel.once("end", () => resolve(Buffer.concat(chunks)));
    channel.once("error", reject);
  });
}

function finish(
  channel: ServerChannel,
  { code, stdout, stderr }: { code: number; stdout: string | Buffer; stderr: string },
): void {
  if (!channel.writable) return;
  if (stderr !== "") channel.stderr.write(stderr);
  channel.write(stdout, () => {
    channel.exit(code);
    channel.end();
  });
}
