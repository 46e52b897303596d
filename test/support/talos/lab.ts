import {
  connectTalos,
  probeTalos,
  type TalosClient,
  type TalosProbe,
} from "../../../src/clients/talos/index.ts";
import { realClock, realRandom, type Clock } from "../../../src/lib/index.ts";
import type { Identity } from "../../../src/pki/index.ts";
import { faultBox, type Fault } from "../../../src/sim/faults.ts";
import type { Guest, GuestDisk, GuestHardware } from "../../../src/sim/guest.ts";
import { noLatencies, type Latencies } from "../../../src/sim/latency.ts";
import { loopbackNetwork, type SimNetwork } from "../../../src/sim/network.ts";
import { talosGuests, type TalosClustersState } from "../../../src/sim/talos/index.ts";
import type { TestTime } from "../test-time.ts";
import { issueLabClient, labConfig, labSecrets, type LabNodeConfig, type LabSecrets } from "./config.ts";

/** A few simulated Talos nodes without any hypervisor around them. */
export interface TalosLab {
  secrets: LabSecrets;
  admin: Identity;
  network: SimNetwork;
  guests: ReturnType<typeof talosGuests>;
  /** Every call the nodes have seen, e.g. `talos machine.MachineService/Version`. */
  calls: readonly string[];
  /** Waits until it is so. */
  until(isSo: () => Promise<boolean>): Promise<void>;
  /** Powers a node on; the same name finds the same disk again. */
  start(name: string, address: string, more?: Partial<GuestHardware>): LabNode;
  configFor(node: Omit<LabNodeConfig, "endpoint">): string;
  /** A client with our cluster's certificate, closed with the lab. */
  connect(address: string, identity?: Identity): TalosClient;
  connectMaintenance(address: string, fingerprint?: string): TalosClient;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LabNode {
  guest: Guest;
  disk: GuestDisk;
  isOff: boolean;
  /** On its serial console, all of it. */
  printed: string;
}

export interface TalosLabOptions {
  endpoint: string;
  faults?: Fault[];
  latencies?: Partial<Latencies>;
  clock?: Clock;
  /** For a test in which something takes its time: that of a busy machine is not counted. */
  time?: TestTime;
  network?: SimNetwork;
  secrets?: LabSecrets;
  saved?: TalosClustersState;
  disks?: Map<string, GuestDisk>;
  /** The Talos version of the image the machines are made from. */
  version?: string;
}

const defaultVersion = "1.13.9";

/** A disk image of the factory, with the guest agent in it. */
export const labImage = (version: string, format = "qcow2"): string =>
  `https://factory.talos.dev/image/ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515/v${version}/nocloud-amd64.${format}`;

/** A blank disk, then an ISO: what a machine has that is to be installed. */
export const isoBoot = (image: string): GuestHardware["boot"] => [
  { kind: "disk", slot: "scsi0" },
  { kind: "cdrom", slot: "ide2", image },
];

export async function talosLab(options: TalosLabOptions): Promise<TalosLab> {
  const network = options.network ?? loopbackNetwork();
  const secrets = options.secrets ?? (await labSecrets());
  const { version = defaultVersion } = options;
  const minor = Number(version.split(".")[1]);
  const clients: TalosClient[] = [];
  const disks = options.disks ?? new Map<string, GuestDisk>();
  const faults = faultBox(options.faults);
  const guests = talosGuests({
    network,
    clock: options.time?.background ?? options.clock ?? realClock,
    latencies: { ...noLatencies, ...options.latencies },
    faults,
    random: realRandom,
    ...(options.saved && { saved: options.saved }),
  });
  const admin = await issueLabClient(secrets);
  const keep = (client: TalosClient): TalosClient => {
    clients.push(client);
    return client;
  };
  return {
    secrets,
    admin,
    network,
    guests,
    calls: faults.seen,
    until: options.time?.until ?? until,
    start(name, address, more) {
      const disk = disks.get(name) ?? {};
      disks.set(name, disk);
      const node: LabNode = { disk, isOff: false, printed: "", guest: { stop: () => Promise.resolve() } };
      const powerOff = () => {
        node.isOff = true;
        void node.guest.stop();
      };
      node.guest = guests.boot(
        { ...hardware(name, address, version), ...more },
        { scsi0: disk },
        {
          powerOff,
          saved: () => undefined,
          print: (text) => void (node.printed += text),
        },
      );
      return node;
    },
    configFor: (node) => labConfig(secrets, { minor, ...node, endpoint: options.endpoint }),
    connect: (address, identity = admin) =>
      keep(
        connectTalos({
          clock: realClock,
          address,
          dial: network.dial,
          identity: { ca: secrets.os.cert, ...identity },
        }),
      ),
    connectMaintenance: (address, fingerprint) =>
      keep(
        connectTalos({
          clock: realClock,
          address,
          dial: network.dial,
          maintenance: { ...(fingerprint && { fingerprint }) },
        }),
      ),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await guests.close();
    },
  };
}

/** Waits until the node is in the wanted state, as an outsider sees it. */
export async function untilProbe(lab: TalosLab, address: string, state: TalosProbe["state"]): Promise<void> {
  await lab.until(async () => {
    const found = await probeTalos({
      clock: realClock,
      address,
      dial: lab.network.dial,
      osCa: lab.secrets.os.cert,
    });
    return found.state === state;
  });
}

export async function until(isSo: () => Promise<boolean>, limitMs = 100_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("waited too long");
    await realClock.sleep(20);
  }
}

/** From power-on to a bootstrapped control plane with the given workers. */
export async function bringUp(
  lab: TalosLab,
  nodes: Omit<LabNodeConfig, "endpoint">[],
  { isReadyAwaited = true } = {},
): Promise<LabNode[]> {
  const started = nodes.map(({ name, address }) => lab.start(name, address));
  for (const node of nodes) {
    await untilProbe(lab, node.address, "maintenance");
    await lab.connectMaintenance(node.address).applyConfig(lab.configFor(node));
  }
  const first = nodes.find((node) => node.role === "control-plane");
  if (first === undefined) return started;
  await untilProbe(lab, first.address, "ours");
  const client = lab.connect(first.address);
  await lab.until(async () =>
    (await client.services()).some(({ id, state }) => id === "etcd" && state === "Preparing"),
  );
  await client.bootstrap();
  for (const { address } of isReadyAwaited ? nodes : []) {
    await untilProbe(lab, address, "ours");
    await lab.until(async () => (await lab.connect(address).machineStatus())?.isReady === true);
  }
  return started;
}

const macFor = (address: string): string =>
  ["02", "00", ...address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"))].join(":");

const hardware = (name: string, address: string, version: string): GuestHardware => ({
  name,
  uuid: `00000000-0000-4000-8000-${Buffer.from(name.padEnd(6).slice(0, 6)).toString("hex")}`,
  host: "pve-1",
  cores: 2,
  memoryMiB: 4096,
  nics: [{ mac: macFor(address), bridge: "vmbr0" }],
  disks: [{ slot: "scsi0", sizeBytes: 50 * 1024 ** 3 }],
  boot: [{ kind: "disk", slot: "scsi0", image: labImage(version) }],
  seed: {
    hostname: name,
    addresses: [{ mac: macFor(address), cidr: `${address}/24`, gateway: address.replace(/\d+$/, "1") }],
    nameservers: [],
  },
});
