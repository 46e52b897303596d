import { unlink } from "node:fs/promises";
import net from "node:net";
import type { Clock, Random } from "../../lib/index.ts";
import type { DatacenterNetwork } from "../datacenter-network.ts";
import type { FaultBox } from "../faults.ts";
import type { BootGuest } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { Listening, SimNetwork } from "../network.ts";
import { domainCalls } from "./domains/domain-calls.ts";
import { SerialPorts } from "./domains/serial-ports.ts";
import { cutPower, runGuest } from "./domains/power.ts";
import { freshState } from "./fresh-state.ts";
import type { SimHost } from "./host.ts";
import { hostCalls } from "./host/host-calls.ts";
import type { LibvirtHostFile } from "./libvirt-file.ts";
import { networkCalls } from "./networks/network-calls.ts";
import { otherCalls } from "./other-clients/calls.ts";
import type { HostState } from "./state.ts";
import { storageCalls } from "./storage/storage-calls.ts";
import { callKey, Session, type CallTable } from "./wire/session.ts";

/** Where the daemon of a host listens: at an address of the network, or on a socket of this machine. */
export type LibvirtEntry = { name: string } & ({ host: string; port: number } | { socket: string });

export interface LibvirtOptions {
  hosts: Record<string, LibvirtHostFile>;
  entries: LibvirtEntry[];
  /** What is on the wires behind the bridges. */
  wires: Record<string, DatacenterNetwork>;
  network: SimNetwork;
  clock: Clock;
  random: Random;
  latencies: Latencies;
  faults: FaultBox;
  boot: BootGuest;
  /** What `state()` gave at the end of an earlier run. */
  saved?: LibvirtState | undefined;
  onChange?(): void;
}

/** What outlives a restart of the simulator, by host. */
export type LibvirtState = Record<string, HostState>;

export interface SimLibvirt {
  state(): LibvirtState;
  /** A machine loses its power without anybody's order. */
  cutPower(host: string, domain: string): Promise<void>;
  /** The daemon of a host is restarted: connections end, machines run on. */
  restart(host: string): void;
  close(): Promise<void>;
}

const table: CallTable = new Map(
  [...hostCalls, ...domainCalls, ...networkCalls, ...storageCalls, ...otherCalls].map((call) => [
    callKey(call.procedure),
    call,
  ]),
);

/** Starts the daemons of all hosts; machines that ran when they were saved boot again. */
export async function startLibvirt(options: LibvirtOptions): Promise<SimLibvirt> {
  const daemons = new Map(
    Object.entries(options.hosts).map(([name, file]) => [name, new Daemon(name, file, options)]),
  );
  const find = (name: string): Daemon => {
    const found = daemons.get(name);
    if (!found) throw new Error(`the datacenter has no libvirt host "${name}"`);
    return found;
  };
  for (const entry of options.entries) await find(entry.name).listen(entry, options.network);
  for (const daemon of daemons.values()) daemon.begin();
  return {
    state: () => Object.fromEntries([...daemons].map(([name, { host }]) => [name, host.state])),
    async cutPower(name, domain) {
      const { host } = find(name);
      const found = Object.values(host.state.domains).find((each) => each.name === domain);
      if (found) await cutPower(host, found, "crashed");
    },
    restart: (name) => find(name).host.restart(),
    async close() {
      await Promise.all([...daemons.values()].map((daemon) => daemon.close()));
    },
  };
}

/** The daemon of one host. */
class Daemon {
  readonly host: SimHost;
  readonly #sessions = new Set<Session>();
  readonly #open: { close(): Promise<void> }[] = [];

  constructor(name: string, file: LibvirtHostFile, options: LibvirtOptions) {
    const { wires, clock, random, latencies, faults, boot } = options;
    const state = structuredClone(options.saved?.[name]) ?? freshState(file, random);
    this.host = {
      ...{ name, file, wires, clock, random, latencies, faults, boot, state },
      guests: new Map(),
      ports: new SerialPorts(),
      changed: () => options.onChange?.(),
      tell: (event) => {
        for (const session of this.#sessions) session.tell(event);
      },
      restart: () => this.#cutAll(),
    };
  }

  async listen(entry: LibvirtEntry, network: SimNetwork): Promise<void> {
    const server = net.createServer((socket) => this.#accept(socket));
    const listening =
      "socket" in entry
        ? await listenOn(server, entry.socket)
        : await network.listen(server, entry.host, entry.port);
    this.#open.push(listening);
  }

  begin(): void {
    for (const domain of Object.values(this.host.state.domains))
      if (domain.id >= 0) runGuest(this.host, domain);
  }

  #accept(socket: net.Socket): void {
    const fault = this.host.faults.next(`libvirt ${this.host.name} CONNECT`);
    if (fault !== undefined) {
      socket.destroy();
      return;
    }
    const session = new Session(socket, this.host, table);
    this.#sessions.add(session);
    socket.once("close", () => this.#sessions.delete(session));
  }

  #cutAll(): void {
    for (const session of this.#sessions) session.cut();
  }

  async close(): Promise<void> {
    const shut = this.#open.map((each) => each.close());
    this.#cutAll();
    await Promise.all(shut);
    const guests = [...this.host.guests.values()];
    this.host.guests.clear();
    await Promise.all(guests.map((guest) => guest.stop()));
  }
}

async function listenOn(server: net.Server, socket: string): Promise<Listening> {
  await unlink(socket).catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  return { close: () => new Promise((resolve) => void server.close(() => resolve())) };
}
