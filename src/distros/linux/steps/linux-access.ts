import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectSsh, type SshConnection } from "../../../clients/ssh/index.ts";
import { replaceFile, type Dial } from "../../../lib/index.ts";
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
}

export interface KnownGuests {
  cluster: string;
  nodes: { name: string; address: string }[];
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
    const { cluster, node, address, user } = guest;
    const found = await this.world.keys.find(cluster, node);
    if (!found) throw keysLost({ cluster, node, file: this.world.keys.loginFile(cluster) });
    const { login, host } = found;
    const file = this.knownHostsFile(cluster);
    const lines = (await this.knownHosts(cluster)).split("\n");
    const isWritten = lines.some((line) => line.startsWith(`${address} `));
    return connectSsh({
      host: address,
      user,
      dial: this.world.dialFor(cluster),
      keys: [{ name: this.world.keys.loginFile(cluster), text: login.private }],
      knownHosts: isWritten ? { files: [file] } : { files: [], lines: `${address} ${host.public}\n` },
      timeoutMs,
      ...(signal && { signal }),
    });
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

  /** One line for each machine, under its address: names may mean another machine elsewhere. */
  async knownLines({ cluster, nodes }: KnownGuests): Promise<string[]> {
    return Promise.all(
      nodes.map(
        async ({ name, address }) => `${address} ${(await this.world.keys.host(cluster, name)).public}`,
      ),
    );
  }

  async writeKnownHosts(known: KnownGuests): Promise<void> {
    const lines = await this.knownLines(known);
    await replaceFile(this.knownHostsFile(known.cluster), `${lines.join("\n")}\n`);
  }
}
