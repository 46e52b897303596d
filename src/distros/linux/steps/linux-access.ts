import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  connectSsh,
  keyFingerprint,
  type HostTrust,
  type SshConnection,
} from "../../../clients/ssh/index.ts";
import { replaceFile, type Dial, type SshKeyPair } from "../../../lib/index.ts";
import { keysLost } from "./errors.ts";
import type { SshKeyStore } from "../../../secrets/index.ts";

/** What the steps need of the world. */
export interface LinuxWorld {
  /** The way to the machines of a cluster. */
  dialFor(cluster: string): Dial;
  /** `.slipway`. */
  folder: string;
  keys: SshKeyStore;
}

/** A machine and who logs in on it. */
export interface Guest {
  cluster: string;
  node: string;
  address: string;
  user: string;
  /** Nobody could give it a host key: the one it shows first is kept, and demanded from then on. */
  isTrustedAtFirstContact?: true;
}

export interface KnownGuests {
  cluster: string;
  nodes: KnownGuest[];
  isTrustedAtFirstContact?: true;
}

interface KnownGuest {
  name: string;
  address: string;
  /** Its machine is still to be made: a key that was shown at its address before is not its own. */
  isToCome?: true;
}

/** Logs in on machines with the cluster's own key, and only on those that show the key they were given. */
export class LinuxAccess {
  readonly world: LinuxWorld;

  constructor(world: LinuxWorld) {
    this.world = world;
  }

  knownHostsFile(cluster: string): string {
    return path.join(this.world.folder, cluster, "known_hosts");
  }

  async open(guest: Guest, signal?: AbortSignal, timeoutMs = 20_000): Promise<SshConnection> {
    const { cluster, address, user } = guest;
    const { login, knownHosts } = await this.trustOf(guest);
    return connectSsh({
      host: address,
      user,
      dial: this.world.dialFor(cluster),
      keys: [{ name: this.world.keys.loginFile(cluster), text: login.private }],
      knownHosts,
      timeoutMs,
      ...(signal && { signal }),
    });
  }

  private async trustOf(guest: Guest): Promise<{ login: SshKeyPair; knownHosts: HostTrust }> {
    const { cluster, node, address } = guest;
    const { keys } = this.world;
    const file = this.knownHostsFile(cluster);
    if (guest.isTrustedAtFirstContact) {
      const login = await keys.findLogin(cluster);
      if (!login) throw keysLost({ cluster, node, file: keys.loginFile(cluster) });
      return { login, knownHosts: { files: [file], trustOnFirstUse: { writeTo: file } } };
    }
    const found = await keys.find(cluster, node);
    if (!found) throw keysLost({ cluster, node, file: keys.loginFile(cluster) });
    const { login, host } = found;
    const lines = (await this.knownHosts(cluster)).split("\n");
    const isWritten = lines.some((line) => line.startsWith(`${address} `));
    return {
      login,
      knownHosts: isWritten ? { files: [file] } : { files: [], lines: `${address} ${host.public}\n` },
    };
  }

  /** Logs in, asks and leaves. */
  async using<T>(
    guest: Guest,
    signal: AbortSignal | undefined,
    timeoutMs: number,
    ask: (connection: SshConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.open(guest, signal, timeoutMs);
    try {
      return await ask(connection);
    } finally {
      connection.close();
    }
  }

  /** The text of known_hosts as it is; empty when there is none. */
  knownHosts(cluster: string): Promise<string> {
    return readFile(this.knownHostsFile(cluster), "utf8").catch(() => "");
  }

  /** Of the key that is known of a machine. */
  async fingerprintOf({ cluster, address }: Guest): Promise<string | undefined> {
    const line = (await this.knownHosts(cluster)).split("\n").find((each) => addressIn(each) === address);
    return line && keyFingerprint(Buffer.from(line.split(" ")[2] ?? "", "base64"));
  }

  /** Whether known_hosts says what it should. */
  async isKnownHostsCurrent(known: KnownGuests): Promise<boolean> {
    const found = new Set(addressesIn(await this.knownHosts(known.cluster)));
    return known.isTrustedAtFirstContact
      ? !known.nodes.some(({ address, isToCome }) => isToCome && found.has(address))
      : known.nodes.every(({ address }) => found.has(address));
  }

  async writeKnownHosts(known: KnownGuests): Promise<void> {
    const lines = known.isTrustedAtFirstContact ? await this.keptLines(known) : await this.givenLines(known);
    await replaceFile(this.knownHostsFile(known.cluster), lines.map((line) => `${line}\n`).join(""));
  }

  /** One line for each machine, under its address: names may mean another machine elsewhere. */
  private async givenLines({ cluster, nodes }: KnownGuests): Promise<string[]> {
    return Promise.all(
      nodes.map(
        async ({ name, address }) => `${address} ${(await this.world.keys.host(cluster, name)).public}`,
      ),
    );
  }

  /** What machines that are there have shown; not what stood at the address of one to come. */
  private async keptLines({ cluster, nodes }: KnownGuests): Promise<string[]> {
    const kept = new Set(nodes.flatMap(({ address, isToCome }) => (isToCome ? [] : [address])));
    return (await this.knownHosts(cluster)).split("\n").filter((line) => kept.has(addressIn(line)));
  }
}

const addressIn = (line: string): string => line.split(" ")[0] ?? "";
const addressesIn = (text: string): string[] => text.split("\n").map(addressIn);
