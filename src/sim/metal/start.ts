import { uuidV5, type Clock, type Random } from "../../lib/index.ts";
import type { FaultBox } from "../faults.ts";
import type { BootGuest, Guest, GuestDisks, GuestHardware } from "../guest.ts";
import type { SimNetwork } from "../network.ts";
import type { MetalFile, MetalMachine } from "./metal-file.ts";
import type { MachinePower } from "./machine-power.ts";
import { startRedfish, type SimRedfish } from "./redfish.ts";

export interface MetalOptions {
  machines: MetalFile;
  network: SimNetwork;
  clock: Clock;
  random: Random;
  faults: FaultBox;
  boot: BootGuest;
  /** What `state()` gave at the end of an earlier run. */
  saved?: MetalState | undefined;
  onChange?(): void;
}

/** What outlives a restart of the simulator: by machine, its disks and whether it has power. */
export type MetalState = Record<string, { disks: GuestDisks; isOn: boolean }>;

export interface SimMetal {
  /** PEM of the authority that vouches for every controller. */
  ca: string;
  state(): MetalState;
  isOn(machine: string): boolean;
  switchOn(machine: string): void;
  /** Power goes away at once. */
  cutPower(machine: string): Promise<void>;
  /** What a NIC hears that sleeps: machines that listen start. */
  wake(mac: string): void;
  close(): Promise<void>;
}

/** So that a machine has the same identity whenever it is simulated. */
const namespace = "6a1c52b1-5a4e-4d4f-9d0b-6d7d3c1f0a11";

/** Powers up machines that have no hypervisor. */
export async function startMetal(options: MetalOptions): Promise<SimMetal> {
  const machines = new Map(
    Object.entries(options.machines).map(([name, file]) => [name, new Machine(name, file, options)]),
  );
  const find = (name: string): Machine => {
    const found = machines.get(name);
    if (!found) throw new Error(`the datacenter has no machine "${name}"`);
    return found;
  };
  const redfish: SimRedfish = await startRedfish({
    ...options,
    machines: [...machines.values()].flatMap((machine) =>
      machine.file.bmc ? [{ name: machine.name, ...machine.file.bmc, power: machine }] : [],
    ),
  });
  for (const machine of machines.values()) machine.begin();
  return {
    ca: redfish.ca,
    state: () => Object.fromEntries([...machines].map(([name, { disks, isOn }]) => [name, { disks, isOn }])),
    isOn: (name) => find(name).isOn,
    switchOn: (name) => find(name).switchOn(),
    cutPower: (name) => find(name).cutPower(),
    wake(mac) {
      for (const machine of machines.values())
        if (machine.file.wakesOnLan && machine.file.mac.toLowerCase() === mac.toLowerCase())
          machine.switchOn();
    },
    async close() {
      await redfish.close();
      await Promise.all([...machines.values()].map((machine) => machine.close()));
    },
  };
}

class Machine implements MachinePower {
  readonly name: string;
  readonly file: MetalMachine;
  readonly disks: GuestDisks;
  readonly #options: MetalOptions;
  #guest: Guest | undefined;
  #shouldStart: boolean;

  constructor(name: string, file: MetalMachine, options: MetalOptions) {
    this.name = name;
    this.file = file;
    this.#options = options;
    const saved = options.saved?.[name];
    this.disks = saved?.disks ?? Object.fromEntries(slotsOf(file).map((slot) => [slot, {}]));
    this.#shouldStart = saved?.isOn ?? file.isOn;
  }

  get isOn(): boolean {
    return this.#guest !== undefined;
  }

  begin(): void {
    if (this.#shouldStart) this.switchOn();
  }

  switchOn(): void {
    if (this.#guest) return;
    const guest: Guest = this.#options.boot(hardwareOf(this.name, this.file), this.disks, {
      powerOff: () => {
        if (this.#guest === guest) this.#guest = undefined;
        this.#options.onChange?.();
      },
      saved: () => this.#options.onChange?.(),
      // Its screen stands where nobody looks.
      print: () => undefined,
    });
    this.#guest = guest;
    this.#options.onChange?.();
  }

  /** The system is asked to go down. */
  shutDown(): void {
    this.#guest?.shutdown?.();
  }

  async cutPower(): Promise<void> {
    const guest = this.#guest;
    this.#guest = undefined;
    this.#options.onChange?.();
    await guest?.stop();
  }

  async close(): Promise<void> {
    await this.#guest?.stop();
  }
}

const slotsOf = ({ disks, stick }: MetalMachine): string[] => [
  ...disks.map(({ slot }) => slot),
  ...(stick === undefined ? [] : [stick]),
];

const stickBytes = 8e9;

function hardwareOf(name: string, file: MetalMachine): GuestHardware {
  const { cidr, mac, cores, memoryMiB, disks, image, stick, login } = file;
  const isInstalled = !/\.iso\b/.test(image);
  const [system] = disks;
  return {
    name,
    uuid: uuidV5(namespace, name),
    host: name,
    cores,
    memoryMiB,
    nics: [{ mac, bridge: "wire", lease: { cidr } }],
    disks: [
      ...disks.map(({ slot, size }) => ({ slot, sizeBytes: size })),
      ...(stick === undefined ? [] : [{ slot: stick, sizeBytes: stickBytes }]),
    ],
    // What is on a disk starts first; firmware asks its other media when nothing is.
    boot: [
      ...disks.map(({ slot }) => ({
        kind: "disk" as const,
        slot,
        image: isInstalled && slot === system?.slot ? image : undefined,
      })),
      ...(isInstalled ? [] : [{ kind: "cdrom" as const, slot: stick ?? "network", image }]),
    ],
    seed: login && {
      hostname: name,
      addresses: [{ mac, cidr }],
      nameservers: [],
      instanceId: name,
      user: login.user,
      sshKeys: [login.key],
    },
  };
}
