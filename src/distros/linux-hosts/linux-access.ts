import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { connectSsh, keyFingerprint, type HostTrust, type SshConnection } from "../../clients/ssh/index.ts";
import { replaceFile, type CallTrace, type Clock, type Dial, type SshKeyPair } from "../../lib/index.ts";
import type { SshKeyStore } from "../../secrets/index.ts";
import type { GuestContact } from "../../spec/index.ts";
import { guestUnmet, keysLost } from "./errors.ts";
import { newGuests, type NewGuests } from "./first-contact/new-guests.ts";
import type { HostKey } from "./first-contact/printed-host-keys.ts";

/** What the steps need of the world. */
export interface LinuxWorld {
  /** The way to the machines of a cluster. */
  dialFor(cluster: string): Dial;
  clock: Clock;
  /** Where calls are traced. */
  calls: CallTrace;
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
  /** How the keys that it has made itself become known; they are demanded from then on. Absent: it was given one. */
  firstContact?: GuestContact | undefined;
}

export interface KnownGuests {
  cluster: string;
  nodes: KnownGuest[];
}

interface KnownGuest extends Pick<Guest, "address" | "firstContact"> {
  name: string;
  /** Its machine is still to be made: a key that was shown at its address before is not its own. */
  isToCome?: true | undefined;
}

/** Logs in on machines with the cluster's own key, and only on those that show the key they were given. */
export class LinuxAccess {
  readonly world: LinuxWorld;
  readonly newGuests: NewGuests;

  constructor(world: LinuxWorld) {
    this.world = world;
    this.newGuests = newGuests(world.folder);
  }

  knownHostsFile(cluster: string): string {
    return path.join(this.world.folder, cluster, "known_hosts");
  }

  /** `key` is used in the place of the cluster's own. */
  async open(
    guest: Guest,
    signal?: AbortSignal,
    timeoutMs = 20_000,
    key?: SshKeyPair,
  ): Promise<SshConnection> {
    const { cluster, address, user } = guest;
    const { login, knownHosts } = await this.trustOf(guest);
    return connectSsh({
      host: address,
      user,
      dial: this.world.dialFor(cluster),
      clock: this.world.clock,
      calls: this.world.calls,
      keys: [{ name: this.world.keys.loginFile(cluster), text: (key ?? login).private }],
      knownHosts,
      timeoutMs,
      signal,
    });
  }

  private async trustOf(guest: Guest): Promise<{ login: SshKeyPair; knownHosts: HostTrust }> {
    const { cluster, node, address } = guest;
    const { keys } = this.world;
    const file = this.knownHostsFile(cluster);
    if (guest.firstContact !== undefined) {
      const login = await keys.findLogin(cluster);
      if (!login) throw keysLost({ cluster, node, file: keys.loginFile(cluster) });
      const isTrusted = guest.firstContact === "trust";
      if (!isTrusted && !(await this.isMet(guest))) throw guestUnmet(guest);
      return {
        login,
        knownHosts: { files: [file], trustOnFirstUse: isTrusted ? { writeTo: file } : undefined },
      };
    }
    const found = await keys.find(cluster, node);
    if (!found) throw keysLost({ cluster, node, file: keys.loginFile(cluster) });
    const { login, host } = found;
    const isWritten = await this.isMet(guest);
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

  /** Whether a key of it is known. */
  async isMet({ cluster, address }: Guest): Promise<boolean> {
    return addressesIn(await this.knownHosts(cluster)).includes(address);
  }

  /** From now on the machine at this address is the one that has these keys. As one write: others may write beside it. */
  async meet({ cluster, node, address }: Guest, hostKeys: HostKey[]): Promise<void> {
    const file = this.knownHostsFile(cluster);
    const old = await this.knownHosts(cluster);
    const lines = hostKeys.map(({ type, key }) => `${address} ${type} ${key}\n`).join("");
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, `${old === "" || old.endsWith("\n") ? "" : "\n"}${lines}`, { mode: 0o600 });
    await this.newGuests.remove({ cluster, node });
  }

  /** Of the key that is known of a machine. */
  async fingerprintOf({ cluster, address }: Guest): Promise<string | undefined> {
    const line = (await this.knownHosts(cluster)).split("\n").find((each) => addressIn(each) === address);
    return line && keyFingerprint(Buffer.from(line.split(" ")[2] ?? "", "base64"));
  }

  /** Whether known_hosts says what it should. */
  async isKnownHostsCurrent(known: KnownGuests): Promise<boolean> {
    const found = new Set(addressesIn(await this.knownHosts(known.cluster)));
    return known.nodes.every(({ address, firstContact, isToCome }) =>
      firstContact === undefined ? found.has(address) : !(isToCome && found.has(address)),
    );
  }

  async writeKnownHosts(known: KnownGuests): Promise<void> {
    const lines = await Promise.all(known.nodes.map((node) => this.linesOf(known.cluster, node)));
    const text = lines.flat().map((line) => `${line}\n`);
    await replaceFile(this.knownHostsFile(known.cluster), text.join(""));
  }

  /**
   * Under its address: names may mean another machine elsewhere. The key it was given, or those it has shown; not what
   * stood at the address of one to come.
   */
  private async linesOf(
    cluster: string,
    { name, address, firstContact, isToCome }: KnownGuest,
  ): Promise<string[]> {
    if (firstContact === undefined)
      return [`${address} ${(await this.world.keys.host(cluster, name)).public}`];
    if (isToCome) return [];
    return (await this.knownHosts(cluster)).split("\n").filter((line) => addressIn(line) === address);
  }
}

const addressIn = (line: string): string => line.split(" ")[0] ?? "";
const addressesIn = (text: string): string[] => text.split("\n").map(addressIn);
