import { writeFileSync } from "node:fs";
import path from "node:path";
import { seededRandom, type Clock } from "../../../src/lib/index.ts";
import { faultBox, mappedNetwork, noLatencies, type Fault, type FaultBox } from "../../../src/sim/index.ts";
import { libvirtHosts, startLibvirt, type SimLibvirt } from "../../../src/sim/libvirt/index.ts";
import { linuxGuests } from "../../../src/sim/linux/index.ts";
import { linuxSlot } from "../../../src/sim/linux/index.ts";
import { talosGuests } from "../../../src/sim/talos/index.ts";
import { testTime } from "../test-time.ts";
import type { ContractSite } from "../provider-contract.ts";
import { libvirtContractSite } from "./contract.ts";
import type { LifeFiles } from "./life.ts";

/** A simulated libvirt host, and a way to its daemon. */
export interface SimLibvirtBench extends AsyncDisposable {
  libvirt: SimLibvirt;
  faults: FaultBox;
  clock: Clock;
  connect(): ReturnType<ReturnType<typeof mappedNetwork>["dial"]>;
}

const [host, port] = ["10.0.0.5", 16509] as const;

export async function simLibvirtBench(
  options: { faults?: Fault[]; host?: Record<string, unknown>; socket?: string } = {},
): Promise<SimLibvirtBench> {
  const network = mappedNetwork();
  const { clock, background } = testTime(network);
  const faults = faultBox(options.faults);
  const random = seededRandom("libvirt");
  const world = { network, clock: background, latencies: noLatencies, faults, random };
  const [talos, linux] = [talosGuests(world), linuxGuests({ ...world, programs: {} })];
  const libvirt = await startLibvirt({
    ...world,
    hosts: libvirtHosts.parse({ box: { cores: 16, memory: "64GiB", ...options.host } }),
    entries: [
      { name: "box", host, port },
      ...(options.socket === undefined ? [] : [{ name: "box", socket: options.socket }]),
    ],
    wires: {},
    boot: (hardware, disks, power) =>
      (linuxSlot(hardware, disks) ? linux : talos).boot(hardware, disks, power),
  });
  return {
    libvirt,
    faults,
    clock,
    connect: () => network.dial({ host, port }),
    async [Symbol.asyncDispose]() {
      await libvirt.close();
      await talos.close();
      await linux.close();
    },
  };
}

/** A simulated host, for what every provider must do. */
export async function simLibvirtContractSite(): Promise<ContractSite> {
  const bench = await simLibvirtBench();
  const places = () => bench.libvirt.state()["box"]?.places ?? {};
  const files: LifeFiles = {
    makeImage: (file) => writeFileSync(file, Buffer.alloc(64 * 1024)),
    variables: () => [],
    inFolder: (folder) => Object.keys(places()[folder]?.volumes ?? {}),
    removeFolder: (folder) => void delete places()[folder],
  };
  const volumeAt = (file: string) => places()[path.dirname(file)]?.volumes[path.basename(file)];
  const site = await libvirtContractSite("slipway-sim-contract", "10.213.94.0/24", {
    connect: () => bench.connect(),
    files,
    clock: bench.clock,
    hands: (dataFile) => ({
      async writeOnKept(cluster, node) {
        const volume = volumeAt(dataFile(cluster, node));
        if (volume) volume.data = { files: "precious" };
      },
      isWritten: async (cluster, node) => volumeAt(dataFile(cluster, node))?.data?.["files"] === "precious",
    }),
  });
  return {
    ...site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}
