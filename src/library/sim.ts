/** `slipway/sim`: a datacenter that exists only in this process, on loopback addresses. */
import net from "node:net";
import { realRandom, scaledClock } from "../lib/index.ts";
import {
  defaultDatacenter,
  loopbackNetwork,
  parseDatacenter,
  startDatacenter as start,
  type Fault,
} from "../sim/index.ts";

export type { Fault, FaultKind } from "../sim/index.ts";
export { SlipwayError, type ErrorFields, type Position } from "../errors/index.ts";

export interface DatacenterOptions {
  /** The text of a datacenter file, as `slipway sim --datacenter` reads it; left out: one host called `hydra`. */
  datacenter?: string;
  /** Of the first Proxmox node; the others follow. Left out: any that are free. */
  port?: number;
  /** How many times faster than the wall its clock runs. */
  speed?: number;
  /** Keeps the datacenter over restarts; without it everything is forgotten. */
  stateFile?: string;
  /** What goes wrong, besides what the datacenter file says. */
  faults?: Fault[];
}

/** A running datacenter: hypervisors, their machines, and the clusters on them. Guests listen at their own addresses. */
export interface Datacenter extends AsyncDisposable {
  /** Where the API of each Proxmox node answers, by its name. */
  urls: Record<string, string>;
  /** API tokens it accepts. They protect nothing. */
  tokens: { id: string; secret: string }[];
  /** Authority of the Proxmox certificates, PEM. */
  ca: string;
  /** SHA-256 of the certificate of the first node, `AA:BB:…`. */
  fingerprint: string;
  /** Every call so far, in order: `proxmox POST /nodes/{node}/qemu`. */
  calls(): string[];
  close(): Promise<void>;
}

/** Powers up a whole datacenter: whatever speaks to Proxmox, Talos or Kubernetes can speak to it. */
export async function startDatacenter(options: DatacenterOptions = {}): Promise<Datacenter> {
  const { datacenter: text, speed, stateFile, faults = [] } = options;
  const file = text === undefined ? defaultDatacenter() : parseDatacenter(text, "datacenter.yaml");
  const nodes = Object.keys(file.nodes);
  const ports = await portsFor(nodes.length, options.port);
  const entries = nodes.map((node, index) => ({ node, host: "127.0.0.1", port: ports[index] ?? 0 }));
  const datacenter = await start({
    file: { ...file, faults: [...file.faults, ...faults] },
    entries,
    network: loopbackNetwork(),
    clock: scaledClock(speed ?? file.speed),
    random: realRandom,
    stateFile,
  });
  return {
    urls: Object.fromEntries(entries.map(({ node, host, port }) => [node, `https://${host}:${port}`])),
    tokens: Object.entries(file.tokens).map(([id, { secret }]) => ({ id, secret })),
    ca: datacenter.ca,
    fingerprint: datacenter.fingerprint,
    calls: () => [...datacenter.faults.seen],
    close: () => datacenter.close(),
    [Symbol.asyncDispose]: () => datacenter.close(),
  };
}

async function portsFor(count: number, first: number | undefined): Promise<number[]> {
  if (first !== undefined) return Array.from({ length: count }, (_, index) => first + index);
  const servers = Array.from({ length: count }, () => net.createServer());
  // All at once, so that none is given twice.
  const ports = await Promise.all(servers.map(listenAnywhere));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const listenAnywhere = (server: net.Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
  });
