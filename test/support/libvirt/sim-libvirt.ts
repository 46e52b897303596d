import { writeFileSync } from "node:fs";
import path from "node:path";
import { realClock, seededRandom, type Clock } from "../../../src/lib/index.ts";
import {
  faultBox,
  loopbackNetwork,
  mappedNetwork,
  noLatencies,
  type Fault,
  type FaultBox,
  type SimNetwork,
} from "../../../src/sim/index.ts";
import {
  libvirtHosts,
  startLibvirt,
  type LibvirtEntry,
  type SimLibvirt,
} from "../../../src/sim/libvirt/index.ts";
import { linuxGuests, linuxSlot } from "../../../src/sim/linux/index.ts";
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

interface Site {
  network: SimNetwork;
  clock: Clock;
  faults: FaultBox;
  host: Record<string, unknown>;
  entries: LibvirtEntry[];
}

async function startHost({ host: said, entries, ...site }: Site) {
  const world = { ...site, latencies: noLatencies, random: seededRandom("libvirt") };
  const [talos, linux] = [talosGuests(world), linuxGuests({ ...world, programs: {} })];
  const libvirt = await startLibvirt({
    ...world,
    hosts: libvirtHosts.parse({ box: { cores: 16, memory: "64GiB", ...said } }),
    entries,
    wires: {},
    boot: (hardware, disks, power) =>
      (linuxSlot(hardware, disks) ? linux : talos).boot(hardware, disks, power),
  });
  return {
    libvirt,
    async close() {
      await libvirt.close();
      await talos.close();
      await linux.close();
    },
  };
}

export async function simLibvirtBench(
  options: { faults?: Fault[]; host?: Record<string, unknown> } = {},
): Promise<SimLibvirtBench> {
  const network = mappedNetwork();
  const { clock, background } = testTime(network);
  const faults = faultBox(options.faults);
  const entries = [{ name: "box", host, port }];
  const { libvirt, close } = await startHost({
    ...{ network, clock: background, faults, host: options.host ?? {}, entries },
  });
  return {
    libvirt,
    faults,
    clock,
    connect: () => network.dial({ host, port }),
    [Symbol.asyncDispose]: close,
  };
}

/** On a socket of this machine, for programs that are not ours. Returns how to end it. */
export async function startSimLibvirt(socket: string): Promise<() => Promise<void>> {
  const { close } = await startHost({
    network: loopbackNetwork(),
    clock: realClock,
    faults: faultBox(),
    host: {
      pools: { default: { size: "100GiB" } },
      networks: { default: { cidr: "192.168.122.1/24", dhcp: ["192.168.122.2", "192.168.122.254"] } },
    },
    entries: [{ name: "box", socket }],
  });
  return close;
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
