import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { probeTalos } from "../../../src/clients/talos/index.ts";
import { dialDirect, realClock } from "../../../src/lib/index.ts";
import { realNodes, type RealNodes } from "./real-nodes.ts";
import { realProgram, type RealProgram } from "./real-program.ts";

/** Real Talos nodes that are there already, a cluster file that lists them, and the program as typed. */
export interface RealRack extends RealProgram, AsyncDisposable {
  folder: string;
  nodes: RealNodes;
  /** By name, as they stand in the file. */
  addresses: Record<string, string>;
  /** Writes the cluster file anew: the lines of the cluster, indented by four blanks. */
  describe(lines: string): Promise<void>;
  /** The text of that file. */
  fileOf(lines: string): string;
  /** Switches a machine on. */
  start(machine: string): Promise<void>;
  /** Takes the power and the disk of a machine; it comes back in maintenance mode. */
  lose(machine: string): Promise<void>;
  /** What each machine is to somebody who knocks, in the order of the list. */
  states(): Promise<string[]>;
}

export interface RackOptions {
  /** First three bytes of a network of its own, e.g. `10.5.4`. */
  net: string;
  /** How many machines: rack-1 at .11 and on. */
  count: number;
  /** The lines of the cluster `lab`, indented by four blanks. */
  cluster: string;
  /** All are listed with their MAC, as it takes to share a VIP. */
  hasMacs?: boolean;
  /** Lines of the file before its hosts. */
  before?: string;
  /** More of each machine's host, indented by four blanks: a jump host. */
  host?: string;
  env?: NodeJS.ProcessEnv;
  /** Where the program runs; here when left out. */
  netns?: string;
}

/** All of them wait in maintenance mode. As examples/bare-metal.yaml lists machines: those of odd numbers with their MAC, the others by what answers. */
export async function realRack(options: RackOptions): Promise<RealRack> {
  const { net, before = "", host = "" } = options;
  const nodes = realNodes(net);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rack-"));
  const numbers = Array.from({ length: options.count }, (_each, index) => index + 1);
  const addresses = Object.fromEntries(numbers.map((number) => [`rack-${number}`, `${net}.${10 + number}`]));
  const macOf = (number: number): string => `02:5a:00:00:00:${String(10 + number)}`;
  const start = (machine: string): Promise<void> =>
    nodes.start(machine, addresses[machine] ?? "", macOf(Number(machine.split("-")[1])));
  const listed = numbers.map((number) => {
    const mac = options.hasMacs || number % 2 === 1 ? `mac: "${macOf(number)}", ` : "";
    return `        - { name: rack-${number}, address: ${net}.${10 + number}, ${mac}fingerprint: trust }\n`;
  });
  const fileOf = (cluster: string): string => `version: 1
${before}hosts:
  rack:
${host}    existing:
      machines:
${listed.join("")}clusters:
  lab:
    on: rack
${cluster}    talos:
${nodes.talosLines}`;
  const describe = (cluster: string): Promise<void> =>
    writeFile(path.join(folder, "slipway.yaml"), fileOf(cluster));
  const stateOf = async (address: string): Promise<string> =>
    (await probeTalos({ address, dial: dialDirect, clock: realClock, timeoutMs: 2_000 })).state;
  const states = (): Promise<string[]> => Promise.all(Object.values(addresses).map(stateOf));
  const untilWaiting = async (): Promise<void> => {
    while (!(await states()).every((state) => state === "maintenance")) await realClock.sleep(500);
  };
  await describe(options.cluster);
  await Promise.all(Object.keys(addresses).map(start));
  await untilWaiting();
  return {
    ...realProgram(folder, options.env ?? {}, options.netns),
    folder,
    nodes,
    addresses,
    describe,
    fileOf,
    start,
    async lose(machine) {
      await nodes.wipe(machine);
      await start(machine);
    },
    states,
    async [Symbol.asyncDispose]() {
      nodes.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
