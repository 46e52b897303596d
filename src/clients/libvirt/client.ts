import type { Duplex } from "node:stream";
import { CallTrace, limitTime, realClock, TimeLimitError, type Clock } from "../../lib/index.ts";
import { LibvirtConnection, type Call, type Transfer } from "./wire/connection.ts";
import { domainCalls, type DomainCalls } from "./calls/domains.ts";
import { connectionLost, polkitRefused } from "./errors.ts";
import { hostCalls, type HostCalls } from "./calls/host.ts";
import { networkCalls, type NetworkCalls } from "./calls/networks.ts";
import { procedures } from "./wire/procedures.ts";
import { storageCalls, type StorageCalls } from "./calls/storages.ts";

export interface LibvirtOptions {
  /** Opens a new way to the daemon: its socket on this machine, or through SSH or TLS to another. */
  connect(): Promise<Duplex>;
  /** What the daemon itself is asked for, `qemu:///system`; never the form with `+ssh`. */
  driver: string;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  /** Left out: that of the wall. */
  clock?: Clock;
  helloTimeoutMs?: number;
  callTimeoutMs?: number;
}

const defaultHelloTimeoutMs = 20_000;
/** A pool on a slow array, or a machine that is being started, takes its time; a frozen daemon takes for ever. */
const defaultCallTimeoutMs = 5 * 60_000;

export interface LibvirtClient extends HostCalls, DomainCalls, NetworkCalls, StorageCalls {
  /** False once the connection was lost; another one has to be opened then. */
  isOpen(): boolean;
  close(): void;
}

/** Connects and says hello. Long transfers get connections of their own, so that calls never queue behind them. */
export async function openLibvirt(options: LibvirtOptions): Promise<LibvirtClient> {
  const { helloTimeoutMs = defaultHelloTimeoutMs, callTimeoutMs = defaultCallTimeoutMs } = options;
  const { calls = new CallTrace(), clock = realClock } = options;
  const hello = { clock, limitMs: helloTimeoutMs };
  const limits = { clock, limitMs: callTimeoutMs };
  const open = async (): Promise<LibvirtConnection> => {
    const made = new LibvirtConnection(await options.connect());
    await limited(made, hello, "log in to libvirt", () => greet(made, options.driver));
    return made;
  };
  const connection = await open();
  const call: Call = (procedure, args, doing, signal) =>
    calls.run({ protocol: "libvirt", to: options.driver, call: doing }, () =>
      limited(connection, limits, doing, () => connection.call(procedure, args, doing, signal)),
    );
  const transfer: Transfer = async (work) => {
    const own = await open();
    try {
      return await work(own, (doing, wait) => limited(own, limits, doing, wait));
    } finally {
      own.close();
    }
  };
  return {
    ...hostCalls(call),
    ...domainCalls(call, connection),
    ...networkCalls(call),
    ...storageCalls(call, transfer),
    isOpen: () => connection.isOpen,
    close: () => connection.close(),
  };
}

const authKinds = { none: 0, polkit: 2 } as const;

/** A daemon that is silent for so long has lost its place: the next call opens another connection. */
async function limited<T>(
  connection: LibvirtConnection,
  { clock, limitMs }: { clock: Clock; limitMs: number },
  doing: string,
  work: () => Promise<T>,
): Promise<T> {
  const reason = `no answer within ${limitMs / 1000} s`;
  try {
    return await limitTime(clock, limitMs, reason, undefined, work);
  } catch (thrown) {
    if (!(thrown instanceof TimeLimitError)) throw thrown;
    connection.close();
    throw connectionLost({ doing, reason });
  }
}

async function greet(connection: LibvirtConnection, driver: string): Promise<void> {
  try {
    const doing = "log in to libvirt";
    const { kinds } = await connection.call(procedures.authList, undefined, doing);
    if (!kinds.includes(authKinds.none)) {
      if (!kinds.includes(authKinds.polkit)) throw polkitRefused();
      await connection.call(procedures.authPolkit, undefined, doing);
    }
    await connection.call(procedures.open, { uri: driver, flags: 0 }, `open ${driver}`);
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}
