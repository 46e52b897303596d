import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";

const script = resolve(import.meta.dirname, "../../lab/start-sshd.sh");

export const hasSshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].some((path) =>
  existsSync(path),
);

/** Why tests on a real OpenSSH server are skipped. */
export const withoutSshd = "needs OpenSSH: apt-get install openssh-server openssh-client";

export interface TestSshd {
  host: string;
  port: number;
  user: string;
  /** Holds host_ed25519, host_ecdsa, id_ed25519, known_hosts, authorized_keys, sshd_config and log. */
  folder: string;
  keyFile: string;
  knownHostsFile: string;
  stop(): void;
}

/** A real sshd on a loopback address, with configuration and keys of its own in a folder of its own. */
export async function startSshd(
  options: { host?: string; port?: number; netns?: string; lines?: string[] } = {},
): Promise<TestSshd> {
  const { host = "127.0.0.1", netns, lines = [] } = options;
  const port = options.port ?? (await freePort(host));
  const folder = mkdtempSync(join(tmpdir(), "slipway-sshd-"));
  execFileSync(script, [
    "--no-install",
    ...(netns === undefined ? [] : ["--netns", netns]),
    ...lines.flatMap((line) => ["--option", line]),
    folder,
    host,
    String(port),
  ]);
  return {
    host,
    port,
    user: userInfo().username,
    folder,
    keyFile: join(folder, "id_ed25519"),
    knownHostsFile: join(folder, "known_hosts"),
    stop: () => {
      execFileSync(script, ["--stop", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function freePort(host: string): Promise<number> {
  return new Promise((done) => {
    const server = net.createServer().listen(0, host, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => done(port));
    });
  });
}
