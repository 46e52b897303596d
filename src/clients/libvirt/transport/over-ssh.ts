import type { Duplex } from "node:stream";
import { noWayThroughSsh } from "../errors.ts";
import { socketPaths } from "./sockets.ts";
import type { SshUri } from "./uri.ts";

/** What is needed of an SSH connection. */
export interface SshRoute {
  readonly isOpen: boolean;
  /** A unix socket on the host. */
  openSocket(path: string): Promise<Duplex>;
  /** The input and output of a program on the host. */
  openCommand(command: readonly string[]): Promise<Duplex>;
  run(command: readonly string[]): Promise<{ code: number; stdout: string }>;
  close(): void;
}

/** A way that has led to the daemon once and will do so again. */
export type KnownRoute = (ssh: SshRoute) => Promise<Duplex>;

/** Stands for the user's own folder, whose name only the host knows. */
const runtime = "%runtime";

const lookAround = `
runtime=\${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
for program in virt-ssh-helper nc socat; do
  command -v "$program" >/dev/null 2>&1 && echo "program $program"
done
for socket in "$@"; do
  case $socket in ${runtime}/*) socket=$runtime/\${socket#${runtime}/} ;; esac
  [ -S "$socket" ] && echo "socket $socket"
done
exit 0`;

/**
 * Finds a way to the daemon on the host: the socket itself, where sshd leads there; else through a program that does.
 * A program that fails later tells so in the stream it has opened.
 */
export async function findWay(ssh: SshRoute, uri: SshUri): Promise<{ stream: Duplex; way: KnownRoute }> {
  const tried: string[] = [];
  const tryRoute = async (way: KnownRoute): Promise<{ stream: Duplex; way: KnownRoute } | undefined> => {
    try {
      return { stream: await way(ssh), way };
    } catch (thrown) {
      // Without a connection there is nothing else to try.
      if (!ssh.isOpen) throw thrown;
      tried.push((thrown as Error).message);
      return undefined;
    }
  };
  const paths = uri.socket === undefined ? socketPaths(uri.driver, runtime) : [uri.socket];
  const known = uri.proxy === "auto" ? paths.filter((path) => !path.startsWith(runtime)) : [];
  for (const path of known) {
    const found = await tryRoute((way) => way.openSocket(path));
    if (found) return found;
  }
  const { programs, sockets } = await look(ssh, paths);
  for (const path of uri.proxy === "auto" ? sockets.filter((each) => !known.includes(each)) : []) {
    const found = await tryRoute((way) => way.openSocket(path));
    if (found) return found;
  }
  for (const command of commandsFor(uri, programs, sockets)) {
    const found = await tryRoute((way) => way.openCommand(command));
    if (found) return found;
  }
  throw noWayThroughSsh({ host: uri.host, paths, hasSocket: sockets.length > 0, tried });
}

async function look(ssh: SshRoute, paths: string[]): Promise<{ programs: string[]; sockets: string[] }> {
  const { stdout } = await ssh.run(["sh", "-c", lookAround, "sh", ...paths]);
  const lines = stdout.split("\n");
  const found = (kind: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  return { programs: found("program"), sockets: found("socket") };
}

function commandsFor({ driver, socket, proxy }: SshUri, programs: string[], sockets: string[]): string[][] {
  // libvirt's own helper finds the socket by itself, and starts the daemon of a session.
  const helper = socket === undefined && proxy !== "netcat" ? [["virt-ssh-helper", driver]] : [];
  const plain =
    proxy === "native"
      ? []
      : sockets.flatMap((path) => [
          ["nc", "-U", path],
          ["socat", "-", `UNIX-CONNECT:${path}`],
        ]);
  return [...helper, ...plain].filter(([program = ""]) => programs.includes(program));
}
