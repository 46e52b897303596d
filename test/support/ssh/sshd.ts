import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { peerFile } from "../peers.ts";

const script = resolve(import.meta.dirname, "../../../lab/start-sshd.sh");

export const hasSshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].some((path) =>
  peerFile(path),
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
  /** Ends it and every connection to it at once, as when its machine loses power. Its folder stays. */
  kill(): void;
  /** Starts it again as it was. */
  restart(): void;
  stop(): void;
}

/** A real sshd on a loopback address, with configuration and keys of its own in a folder of its own. */
export async function startSshd(
  options: { host?: string; port?: number; netns?: string; lines?: string[] } = {},
): Promise<TestSshd> {
  const { host = "127.0.0.1", netns, lines = [] } = options;
  const port = options.port ?? (await freePort(host));
  const folder = mkdtempSync(join(tmpdir(), "slipway-sshd-"));
  const start = (): unknown =>
    execFileSync(script, [
      "--no-install",
      ...(netns === undefined ? [] : ["--netns", netns]),
      ...lines.flatMap((line) => ["--option", line]),
      folder,
      host,
      String(port),
    ]);
  start();
  return {
    host,
    port,
    user: userInfo().username,
    folder,
    keyFile: join(folder, "id_ed25519"),
    knownHostsFile: join(folder, "known_hosts"),
    kill: () => {
      const pid = Number(readFileSync(join(folder, "sshd.pid"), "utf8"));
      for (const each of [...descendants(pid), pid]) killIfThere(each);
    },
    restart: () => void start(),
    stop: () => {
      execFileSync(script, ["--stop", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Every process below this one: sshd has one or two for each connection. */
function descendants(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.flatMap(([child = 0, above]) => (above === parent ? [...below(child), child] : []));
  return below(pid);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself meanwhile.
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((done) => {
    const server = net.createServer().listen(0, host, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => done(port));
    });
  });
}
