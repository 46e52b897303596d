import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Duplex } from "node:stream";
import {
  asNetworkError,
  asSocket,
  namedPlace,
  opensshFailed,
  quoteCommand,
} from "../../clients/ssh/index.ts";
import { Semaphore, RouteError, type Dial } from "../../lib/index.ts";
import { sharingOptions } from "./openssh-sharing.ts";

/** A host as the ssh program is told of it. What is absent, its own settings decide. */
export interface OpensshJumpHost {
  host: string;
  user?: string | undefined;
  port?: number | undefined;
  keyFile?: string | undefined;
  knownHostsFile?: string | undefined;
  acceptsNew?: boolean | undefined;
  /** Why the program is needed, where the file does not ask for it. */
  because?: string | undefined;
}

/** A way through these hosts by the user's own ssh program. */
export interface OpensshRoute {
  dial: Dial;
  /** Runs a program on the last host. */
  run(command: readonly string[]): Promise<{ code: number; stdout: string }>;
  /** The input and output of a program there. */
  open(command: readonly string[]): Promise<Duplex>;
}

/** The ssh program says so when the host has opened the way, through a connection of its own or a shared one. */
const isThrough = /open confirm|master session id/;
/** Enough to find the reason in, however much it talks. */
const mostWords = 20_000;

/** sshd turns away who comes while ten others have not logged in yet (MaxStartups). */
const mostAtOnce = 8;
const runLimitMs = 20_000;
const lastWordsMs = 50;
/** Programs end with other codes. */
const ownFailure = 255;

/** It is run once for each connection; those that come first wait for one that all of them share. */
export function opensshRoute(
  jumpHosts: readonly OpensshJumpHost[],
  env: NodeJS.ProcessEnv,
  touch: (host: string) => void = () => undefined,
): OpensshRoute {
  const [last] = jumpHosts.slice(-1) as [OpensshJumpHost];
  const starting = new Semaphore(mostAtOnce);
  const login = loginOptions(jumpHosts, env);
  let sharing: Promise<string[]> | undefined;
  const shared = async (): Promise<string[]> => {
    sharing ??= sharingOptions([...login, "--", last.host], env);
    return [...login, ...(await sharing)];
  };
  let first: Promise<unknown> | undefined;
  let isReasonKnown = false;
  const open: Dial = async (to, signal) => {
    const options = await shared();
    try {
      return await runSsh({ last, options, env, touch })(to, signal);
    } catch (thrown) {
      // Of a connection that is shared nobody hears why it does not lead on; whether it ever may is worth a login.
      if (isReasonKnown || options.length === login.length || !(thrown instanceof RouteError)) throw thrown;
      isReasonKnown = true;
      return runSsh({ last, options: login, env, touch })(to, signal);
    }
  };
  return {
    dial: async (to, signal) => {
      const before = first;
      const opening = starting.use(async () => {
        await before;
        return open(to, signal);
      }, signal);
      first ??= opening.catch(() => undefined);
      return opening;
    },
    run: async (command) => {
      const args = [...(await shared()), "--", last.host, quoteCommand(command)];
      return new Promise((resolve, reject) => {
        execFile("ssh", args, { env, timeout: runLimitMs }, (cause, stdout, said) => {
          const code = cause === null ? 0 : Number(cause.code);
          if (code >= 0 && code !== ownFailure) resolve({ code, stdout });
          else reject(opensshFailed({ ...placeOf(last), to: last.host, said, cause }));
        });
      });
    },
    open: async (command) => {
      const args = [...(await shared()), "--", last.host, quoteCommand(command)];
      const child = spawn("ssh", args, { env, stdio: ["pipe", "pipe", "ignore"] });
      const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
      stream.on("error", () => undefined);
      stream.once("close", () => child.kill());
      child.once("error", (cause) =>
        stream.destroy(opensshFailed({ ...placeOf(last), to: last.host, said: "", cause })),
      );
      return stream;
    },
  };
}

const placeOf = ({ host, port = 22, user, because }: OpensshJumpHost) => ({
  host,
  port,
  user,
  because,
});

interface SshRun {
  last: OpensshJumpHost;
  options: readonly string[];
  env: NodeJS.ProcessEnv;
  touch(host: string): void;
}

const runSsh =
  ({ last, options, env, touch }: SshRun): Dial =>
  ({ host, port }, signal) =>
    new Promise((resolve, reject) => {
      const place = placeOf(last);
      const through = namedPlace(place);
      const target = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
      const child = spawn("ssh", ["-vv", ...options, "-W", target, "--", last.host], { env, stdio: "pipe" });
      let [said, isOpen, isTouching] = ["", false, false];
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
        said += text;
        if (!isTouching && said.includes("Confirm user presence")) touch(through);
        isTouching ||= said.includes("Confirm user presence");
        if (isOpen || !isThrough.test(said)) return;
        isOpen = true;
        signal?.removeEventListener("abort", leave);
        child.stderr.destroy();
        asSocket(stream, through).then(resolve, end);
      });
      child.once("error", (cause) => end(opensshFailed({ ...place, to: target, said: "", cause })));
      // A connection left behind for others holds on to the stream of errors.
      child.once("exit", () => setTimeout(() => child.stderr.destroy(), lastWordsMs));
      child.once("close", () => end(failure()));
    });

/** Each jump host is reached by a program of its own that runs below the next. */
function loginOptions(jumpHosts: readonly OpensshJumpHost[], env: NodeJS.ProcessEnv): string[] {
  const [last, ...before] = jumpHosts.toReversed();
  if (!last) return [];
  const { user, port, keyFile, knownHostsFile, acceptsNew } = last;
  const option = (...words: (string | undefined)[]): string[] =>
    words.flatMap((word) => (word === undefined ? [] : ["-o", word]));
  const [next] = before;
  const below = next && [
    "ssh",
    ...loginOptions(before.toReversed(), env),
    ...["-W", "[%h]:%p", "--", next.host],
  ];
  return [
    ...ownConfig(env),
    ...option("BatchMode=yes", "ConnectTimeout=20", "ServerAliveInterval=15"),
    ...option(keyFile && `IdentityFile=${quoted(keyFile)}`, keyFile && "IdentitiesOnly=yes"),
    ...option(knownHostsFile && `UserKnownHostsFile=${quoted(knownHostsFile)}`),
    ...option(acceptsNew ? "StrictHostKeyChecking=accept-new" : undefined),
    ...option(below && `ProxyCommand=${quoteCommand(below)}`),
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", String(port)]),
  ];
}

/** The program looks at the home of the user, whatever $HOME says; we have read the settings there. */
function ownConfig(env: NodeJS.ProcessEnv): string[] {
  const home = env["HOME"];
  if (home === undefined || home === os.userInfo().homedir) return [];
  const file = path.join(home, ".ssh/config");
  return existsSync(file) ? ["-F", file] : [];
}

/** As ssh_config wants a path with blanks. */
const quoted = (file: string): string => (/\s/.test(file) ? `"${file}"` : file);
