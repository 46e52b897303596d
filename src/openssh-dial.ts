import { spawn } from "node:child_process";
import { Duplex } from "node:stream";
import { asNetworkError, asSocket, namedPlace, opensshFailed, quoteCommand } from "./clients/ssh/index.ts";
import { Places, type Dial } from "./lib/index.ts";

/** A host as the ssh program is told of it. What is absent, its own settings decide. */
export interface OpensshHop {
  host: string;
  user?: string;
  port?: number;
  keyFile?: string;
  knownHostsFile?: string;
  acceptsNew?: true;
}

/** The ssh program says so when the host has opened the way, through a connection of its own or a shared one. */
const isThrough = /open confirm|master session id/;
/** Enough to find the reason in, however much it talks. */
const mostWords = 20_000;

/** sshd turns away who comes while ten others have not logged in yet (MaxStartups). */
const mostAtOnce = 8;

/** Through these hosts by the user's own ssh program, which is run once for each connection. */
export function opensshDial(hops: readonly OpensshHop[], env: NodeJS.ProcessEnv): Dial {
  const starting = new Places(mostAtOnce);
  const open = runSsh(hops, env);
  return (to, signal) => starting.use(() => open(to, signal), signal);
}

const runSsh =
  (hops: readonly OpensshHop[], env: NodeJS.ProcessEnv): Dial =>
  ({ host, port }, signal) =>
    new Promise((resolve, reject) => {
      const [last] = hops.slice(-1) as [OpensshHop];
      const place = {
        host: last.host,
        port: last.port ?? 22,
        ...(last.user !== undefined && { user: last.user }),
      };
      const through = namedPlace(place);
      const target = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
      const child = spawn("ssh", ["-vv", ...wayTo(hops, target)], { env, stdio: "pipe" });
      let [said, isOpen]: [string, boolean] = ["", false];
      const end = (error: unknown): void => {
        signal?.removeEventListener("abort", leave);
        reject(error);
        child.kill();
      };
      const leave = (): void => end(signal?.reason);
      if (signal?.aborted) leave();
      else signal?.addEventListener("abort", leave, { once: true });
      const failure = (): unknown =>
        asNetworkError(opensshFailed({ ...place, to: target, said: said.slice(-mostWords) }), through);
      const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
      stream.on("error", () => undefined);
      stream.once("close", () => child.kill());
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (isOpen) return;
        said += text;
        if (!isThrough.test(said)) return;
        isOpen = true;
        signal?.removeEventListener("abort", leave);
        asSocket(stream, through).then(resolve, end);
      });
      child.once("error", (cause) => end(opensshFailed({ ...place, to: target, said: "", cause })));
      child.once("close", () => end(failure()));
    });

/** Each hop is reached by a program of its own that runs below the next. */
function wayTo(hops: readonly OpensshHop[], target: string): string[] {
  const [last, ...before] = hops.toReversed();
  if (!last) return [];
  const { host, user, port, keyFile, knownHostsFile, acceptsNew } = last;
  const option = (...words: (string | undefined)[]): string[] =>
    words.flatMap((word) => (word === undefined ? [] : ["-o", word]));
  const below = before.length === 0 ? undefined : ["ssh", ...wayTo(before.toReversed(), "[%h]:%p")];
  return [
    ...option("BatchMode=yes", "ConnectTimeout=20", "ServerAliveInterval=15"),
    ...option(keyFile && `IdentityFile=${quoted(keyFile)}`, keyFile && "IdentitiesOnly=yes"),
    ...option(knownHostsFile && `UserKnownHostsFile=${quoted(knownHostsFile)}`),
    ...option(acceptsNew && "StrictHostKeyChecking=accept-new"),
    ...option(below && `ProxyCommand=${quoteCommand(below)}`),
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...["-W", target, "--", host],
  ];
}

/** As ssh_config wants a path with blanks. */
const quoted = (file: string): string => (/\s/.test(file) ? `"${file}"` : file);
