import { decode, uuid as asUuid } from "../../clients/libvirt/wire/index.ts";
import type { Clock, Random, XmlElement } from "../../lib/index.ts";
import type { DatacenterNetwork } from "../datacenter-network.ts";
import type { FaultBox } from "../faults.ts";
import type { BootGuest, Guest } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { LibvirtHostFile } from "./libvirt-file.ts";
import type { SerialPorts } from "./domains/serial-ports.ts";
import type { HostState, SimDomain } from "./state.ts";

/** One host with libvirt while it runs: what it remembers and what it works with. */
export interface SimHost {
  readonly name: string;
  readonly file: LibvirtHostFile;
  /** What is on the wires behind its bridges. */
  readonly wires: Record<string, DatacenterNetwork>;
  readonly clock: Clock;
  readonly random: Random;
  readonly latencies: Latencies;
  readonly faults: FaultBox;
  readonly boot: BootGuest;
  readonly state: HostState;
  /** Machines that are switched on, by UUID. */
  readonly guests: Map<string, Guest>;
  readonly ports: SerialPorts;
  changed(): void;
  /** Told to everybody who listens. */
  tell(event: LifecycleEvent): void;
  /** Cuts every connection, as when the daemon is restarted. */
  restart(): void;
}

export interface LifecycleEvent {
  domain: DomainRef;
  event: number;
  detail: number;
}

/** As libvirt numbers them. */
export const lifecycle = { defined: 0, undefined: 1, started: 2, stopped: 5, shutdown: 6 } as const;

export interface DomainRef {
  name: string;
  uuid: string;
  id: number;
}

export const refOf = ({ name, uuid, id }: SimDomain): DomainRef => ({ name, uuid, id });

/** As it runs, or as it will. */
export function currentXml({ live, defined, name }: SimDomain): XmlElement {
  const found = live ?? defined;
  if (!found) throw new Error(`machine ${name} has no definition`);
  return found;
}

/** Made up as libvirt makes them up. */
export function newUuid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return decode(asUuid, bytes);
}

/** With the prefix of QEMU. */
export const newMac = (random: Random): string =>
  ["52", "54", "00", ...(random.bytes(3).toString("hex").match(/../g) ?? [])].join(":");
