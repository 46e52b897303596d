import type { Socket } from "node:net";
import type { Client, ClientErrorExtensions, ConnectConfig } from "ssh2";
import {
  CallTrace,
  limitTime,
  realClock,
  loadSsh2,
  whileTimeStands,
  type Clock,
  type Dial,
} from "../../lib/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { orAskPassphrase } from "./ask-passphrase.ts";
import { SshConnection } from "./connection.ts";
import { connectionLost, loginRefused, notSsh, nothingToLoginWith, unreachable } from "./errors.ts";
import { hostCheck, type HostCheck, type HostTrust } from "./config/host-check.ts";
import { LoginRecord, loginAttempts, type Credentials } from "./login.ts";
import { plainText } from "./plain-text.ts";

/** Fastest first, on processors that know AES: the library's own order begins with one that takes twice as long. */
const ciphers = [
  "aes128-gcm@openssh.com",
  "aes256-gcm@openssh.com",
  "aes128-ctr",
  "aes192-ctr",
  "aes256-ctr",
  "chacha20-poly1305@openssh.com",
];

export interface SshOptions extends Credentials {
  host: string;
  port?: number | undefined;
  user: string;
  /** How the host is reached: directly, or through another SSH connection with `sshDial`. */
  dial: Dial;
  /** Left out: that of the wall. */
  clock?: Clock;
  /** Where logins are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  knownHosts: HostTrust;
  signal?: AbortSignal | undefined;
  /** For reaching the host and logging in. */
  timeoutMs?: number;
  /** How often the host is asked whether it is still there; after three questions without answer it is not. */
  keepaliveMs?: number;
}

type LibraryError = Error & ClientErrorExtensions;

/** Logs in on a host whose key is known. Nothing of ours is sent before the host has proved who it is. */
export const connectSsh = (options: SshOptions): Promise<SshConnection> =>
  orAskPassphrase(options, connectOnce);

async function connectOnce(options: SshOptions): Promise<SshConnection> {
  const { host, user, timeoutMs = 20_000, clock = realClock, calls = new CallTrace() } = options;
  const place = { host, port: options.port ?? 22, user };
  const ssh2 = await loadSsh2();
  const { attempts, locked } = await loginAttempts(options, user, ssh2.utils.parseKey);
  if (attempts.length === 0) throw nothingToLoginWith(place);
  const check = await hostCheck(options.knownHosts, place);
  const record = new LoginRecord(attempts, locked);
  const late = `no answer within ${Math.round(timeoutMs / 1000)} s`;
  let socket: Socket | undefined;
  try {
    return await calls.run({ protocol: "ssh", to: host, call: `log in as ${user}` }, () =>
      limitTime(clock, timeoutMs, late, options.signal, async (signal) => {
        socket = await options.dial({ host, port: place.port }, signal);
        return await login(new ssh2.Client(), socket, {
          ...options,
          place,
          check,
          record,
        });
      }),
    );
  } catch (thrown) {
    socket?.destroy();
    const isExplained = thrown instanceof SlipwayError || thrown === record.failure;
    if (isExplained || options.signal?.aborted) throw thrown;
    throw unreachable({ ...place, cause: thrown });
  }
}

/** Longer than this no handshake of one process with itself takes, on a busy machine either. */
const keysMs = 5_000;

/** The keys of a connection are made on other threads, at both ends. Who never shows one does not hold up time for ever. */
async function handshakeOf(client: Client, socket: Socket): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  client.once("handshake", end);
  socket.once("close", end);
  await realClock.sleep(keysMs, over.signal).catch(() => undefined);
}

interface Login extends Pick<SshOptions, "keepaliveMs" | "certificates"> {
  place: { host: string; port: number; user: string };
  check: HostCheck;
  record: LoginRecord;
}

function login(
  client: Client,
  socket: Socket,
  { place, check, record, certificates = [], keepaliveMs = 15_000 }: Login,
): Promise<SshConnection> {
  return new Promise((resolve, reject) => {
    const connection = new SshConnection(client, place);
    let [isIn, reason, refusal]: [boolean, string | undefined, unknown] = [false, undefined, undefined];
    // Ours comes first: the library closes its channels without a word.
    socket.once("close", () => {
      const lost = connectionLost({ ...place, reason: reason ?? "the host closed it" });
      if (isIn) connection.fail(lost);
      else
        reject(refusal ?? notSsh({ ...place, reason: reason ?? "the host closed the connection at once" }));
    });
    client.on("ready", () => {
      isIn = true;
      resolve(connection);
    });
    client.on("error", (error: LibraryError) => {
      // An agent that does not answer is one attempt that failed.
      if (error.level === "agent") return;
      reason ??= plainText(error.message);
      const { tried, accepted, locked, failure } = record;
      if (error.level === "client-authentication")
        refusal ??= failure ?? loginRefused({ ...place, tried, accepted, locked, certificates });
      if (isIn) return;
      reject(refusal ?? notSsh({ ...place, reason }));
      socket.destroy();
    });
    const verify = (key: Buffer, answer: (isTrusted: boolean) => void): void => {
      check.check(key).then(
        () => answer(true),
        (error: unknown) => {
          refusal = error;
          answer(false);
        },
      );
    };
    const config: ConnectConfig = {
      sock: socket,
      username: place.user,
      hostVerifier: verify,
      algorithms: { serverHostKey: check.algorithms as never, cipher: ciphers as never },
      authHandler: ((accepted: string[] | null, _partial: boolean, give: never) =>
        record.next(accepted, give)) as never,
      // The time limit is the caller's.
      readyTimeout: 0,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: 3,
      // Other servers than OpenSSH know its way to unix sockets, too.
      strictVendor: false,
    };
    void whileTimeStands(() => handshakeOf(client, socket));
    client.connect(config);
  });
}
