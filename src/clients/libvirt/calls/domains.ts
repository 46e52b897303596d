import type { Call, LibvirtConnection } from "../wire/connection.ts";
import { agentCommand, messages, procedures } from "../wire/procedures.ts";

/** A machine as libvirt refers to it; the id is -1 while it is off. */
export interface Domain {
  name: string;
  uuid: string;
  id: number;
}

const states = [
  "none",
  "running",
  "blocked",
  "paused",
  "shutting down",
  "off",
  "crashed",
  "suspended",
] as const;
export type DomainState = (typeof states)[number];

export interface DomainInfo {
  state: DomainState;
  maxMemoryKiB: number;
  memoryKiB: number;
  cpus: number;
}

/** What a running machine uses; absent where libvirt does not tell. */
export interface DomainLoad {
  /** Time its cores have computed since it was started. */
  cpuNs?: number | undefined;
  /** As the guest tells its balloon; else what the host has given it so far. */
  memoryUsedKiB?: number | undefined;
}

/** What a change is made to: the running machine, its definition, or both. */
export type Affects = "live" | "config" | "both";
const affectFlags: Record<Affects, number> = { live: 1, config: 2, both: 3 };

const undefineAll = { managedSave: 1, snapshots: 2, nvram: 4, checkpoints: 16 };
const inactiveXml = 2;
const [metadataElement, metadataOfConfig] = [2, 2];
const sizeInBytes = 1;
const agentPatience = -2;
const ofLifecycle = 0;
const loadStats = { cpu: 2, balloon: 4 };
/** Without it the answer waits for whatever else is done to one of the machines. */
const statsWithoutWaiting = 0x2000_0000;
/** As many as the protocol can name in one answer of an older daemon. */
const mostSnapshots = 1024;

/** By state and number; what is not here tells nobody anything. */
const reasons: Partial<Record<DomainState, string[]>> = {
  off: [
    "unknown",
    "shutdown",
    "destroyed",
    "crashed",
    "migrated",
    "saved",
    "failed",
    "rolled back",
    "daemon",
  ],
  paused: [
    "unknown",
    "user",
    "migration",
    "save",
    "dump",
    "io error",
    "watchdog",
    "rolled back",
    "shutting down",
    "snapshot",
    "crashed",
  ],
};

/** Who tells the addresses of a guest; in the order of libvirt's numbers for them. */
const addressSources = ["leases", "agent", "neighbours"] as const;
export type AddressSource = (typeof addressSources)[number];

/** A network card as the guest sees it; addresses without prefix length. */
export interface GuestNic {
  mac: string;
  addresses: string[];
}

export interface DomainCalls {
  domains(signal?: AbortSignal): Promise<Domain[]>;
  findDomain(name: string, signal?: AbortSignal): Promise<Domain>;
  /** Checked against libvirt's own schema first. The same UUID again changes the definition. */
  defineDomain(xml: string, signal?: AbortSignal): Promise<Domain>;
  startDomain(of: Domain, signal?: AbortSignal): Promise<Domain>;
  /** Pulls the plug. */
  destroyDomain(of: Domain, signal?: AbortSignal): Promise<void>;
  shutdownDomain(of: Domain, signal?: AbortSignal): Promise<void>;
  /** As the button on a computer: the guest is not asked, and its console stays open. */
  resetDomain(of: Domain, signal?: AbortSignal): Promise<void>;
  /** Only while it is off. It keeps its UUID, by which it is found under either name. */
  renameDomain(of: Domain, name: string, signal?: AbortSignal): Promise<void>;
  /** With everything libvirt keeps for it: saved memory, snapshots, firmware variables. */
  undefineDomain(of: Domain, signal?: AbortSignal): Promise<void>;
  /** As defined for its next start, or as it runs. */
  domainXml(of: Domain, which: "defined" | "running", signal?: AbortSignal): Promise<string>;
  domainInfo(of: Domain, signal?: AbortSignal): Promise<DomainInfo>;
  /** By UUID, in one question. Who is busy, or gone, is left out rather than waited for. */
  domainLoads(of: Domain[], signal?: AbortSignal): Promise<Map<string, DomainLoad>>;
  /** The guest's cards with their addresses, as its network gave them, its agent tells them, or the host has met them. */
  guestNics(of: Domain, source: AddressSource, signal?: AbortSignal): Promise<GuestNic[]>;
  /** How it came to be as it is, in a word: `crashed`, `destroyed`, `io error`; `unknown` when libvirt does not say. */
  domainReason(of: Domain, signal?: AbortSignal): Promise<{ state: DomainState; reason: string }>;
  /** False: it runs without a definition, and is gone when it stops. */
  isDefined(of: Domain, signal?: AbortSignal): Promise<boolean>;
  startsWithHost(of: Domain, signal?: AbortSignal): Promise<boolean>;
  setStartsWithHost(of: Domain, isOn: boolean, signal?: AbortSignal): Promise<void>;
  /** The element of this namespace in its metadata. */
  domainMetadata(of: Domain, namespace: string, signal?: AbortSignal): Promise<string>;
  setDomainMetadata(
    of: Domain,
    element: { xml: string; prefix: string; namespace: string },
    signal?: AbortSignal,
  ): Promise<void>;
  /** Names of its snapshots, whoever took them. */
  snapshotsOf(of: Domain, signal?: AbortSignal): Promise<string[]>;
  attachDevice(of: Domain, xml: string, affects: Affects, signal?: AbortSignal): Promise<void>;
  detachDevice(of: Domain, xml: string, affects: Affects, signal?: AbortSignal): Promise<void>;
  updateDevice(of: Domain, xml: string, affects: Affects, signal?: AbortSignal): Promise<void>;
  /** Of a running machine, at most as many as it was started with room for. */
  setCores(of: Domain, count: number, affects: Affects, signal?: AbortSignal): Promise<void>;
  /** Of a running machine this is what its balloon leaves it; the guest gives and takes when it gets to it. */
  setMemory(of: Domain, memoryMiB: number, affects: Affects, signal?: AbortSignal): Promise<void>;
  /** Tells a running guest that its disk has grown. */
  resizeBlock(of: Domain, disk: string, bytes: number, signal?: AbortSignal): Promise<void>;
  /** Asks the agent in the guest; JSON in, JSON out. */
  askAgent(of: Domain, command: object, signal?: AbortSignal): Promise<unknown>;
  /** One at a time has it; `isForced` takes it away from whoever that is. */
  openConsole(of: Domain, on: ConsoleEvents, isForced?: boolean): Promise<Console>;
  /** Told of every machine that starts, stops or vanishes; returns how to stop listening. */
  watchDomains(heard: (change: DomainChange) => void): Promise<() => Promise<void>>;
}

export interface ConsoleEvents {
  data(bytes: Buffer): void;
  end(error?: Error): void;
}

export interface Console {
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

type DeviceCall = "attachDevice" | "detachDevice" | "updateDevice";

const changes = [
  "defined",
  "undefined",
  "started",
  "suspended",
  "resumed",
  "stopped",
  "shutdown",
  "pmsuspended",
  "crashed",
] as const;

export interface DomainChange {
  domain: Domain;
  change: (typeof changes)[number] | "unknown";
}

const onDevice =
  (call: Call, procedure: (typeof procedures)[DeviceCall], doing: string): DomainCalls[DeviceCall] =>
  (of, xml, affects, signal) =>
    call(procedure, { domain: of, xml, flags: affectFlags[affects] }, `${doing} machine ${of.name}`, signal);

export const domainCalls = (call: Call, connection: LibvirtConnection): DomainCalls => ({
  domains: async (signal) =>
    (await call(procedures.listDomains, { needResults: 1, flags: 0 }, "list machines", signal)).items,

  findDomain: async (name, signal) =>
    (await call(procedures.findDomain, { name }, `find machine ${name}`, signal)).domain,

  defineDomain: async (xml, signal) =>
    (await call(procedures.defineDomain, { xml, flags: 1 }, "define a machine", signal)).domain,

  startDomain: async (of, signal) =>
    (await call(procedures.startDomain, { domain: of, flags: 0 }, `start machine ${of.name}`, signal)).domain,

  destroyDomain: (of, signal) =>
    call(procedures.destroyDomain, { domain: of, flags: 0 }, `stop machine ${of.name}`, signal),

  shutdownDomain: (of, signal) =>
    call(procedures.shutdownDomain, { domain: of, flags: 0 }, `shut machine ${of.name} down`, signal),

  resetDomain: (of, signal) =>
    call(procedures.resetDomain, { domain: of, flags: 0 }, `reset machine ${of.name}`, signal),

  renameDomain: async (of, name, signal) => {
    const doing = `rename machine ${of.name} to ${name}`;
    await call(procedures.renameDomain, { domain: of, name, flags: 0 }, doing, signal);
  },

  undefineDomain: (of, signal) => {
    const flags = Object.values(undefineAll).reduce((sum, flag) => sum + flag, 0);
    return call(procedures.undefineDomain, { domain: of, flags }, `remove machine ${of.name}`, signal);
  },

  async domainXml(of, which, signal) {
    const flags = which === "defined" ? inactiveXml : 0;
    return (await call(procedures.domainXml, { domain: of, flags }, `read machine ${of.name}`, signal)).text;
  },

  async domainInfo(of, signal) {
    const info = await call(procedures.domainInfo, { domain: of }, `look at machine ${of.name}`, signal);
    return { ...info, state: states[info.state] ?? "none" };
  },

  async domainLoads(of, signal) {
    const args = { domains: of, stats: loadStats.cpu | loadStats.balloon, flags: statsWithoutWaiting };
    const { stats } = await call(procedures.domainStats, args, "ask what machines use", signal);
    return new Map(stats.map(({ domain: { uuid }, values }) => [uuid, loadIn(values)]));
  },

  async guestNics(of, source, signal) {
    const args = { domain: of, source: addressSources.indexOf(source), flags: 0 };
    const doing = `ask for the addresses of machine ${of.name}`;
    const { nics } = await call(procedures.domainAddresses, args, doing, signal);
    return nics.map(({ mac = "", addresses }) => ({
      mac: mac.toLowerCase(),
      addresses: addresses.map(({ address }) => address),
    }));
  },

  domainReason: async (of, signal) => {
    const doing = `ask why machine ${of.name} is as it is`;
    const { state, reason } = await call(procedures.domainState, { domain: of, flags: 0 }, doing, signal);
    const named = states[state] ?? "none";
    return { state: named, reason: reasons[named]?.[reason] ?? "unknown" };
  },

  isDefined: async (of, signal) =>
    (await call(procedures.isDomainPersistent, { domain: of }, `look at machine ${of.name}`, signal)).isOn,

  startsWithHost: async (of, signal) =>
    (await call(procedures.domainAutostart, { domain: of }, `look at machine ${of.name}`, signal)).isOn,

  setStartsWithHost: (of, isOn, signal) =>
    call(procedures.setDomainAutostart, { domain: of, isOn }, `change machine ${of.name}`, signal),

  async domainMetadata(of, namespace, signal) {
    const args = { domain: of, kind: metadataElement, uri: namespace, flags: metadataOfConfig };
    return (await call(procedures.domainMetadata, args, `read whose machine ${of.name} is`, signal)).text;
  },

  setDomainMetadata: (of, { xml, prefix, namespace }, signal) =>
    call(
      procedures.setDomainMetadata,
      { domain: of, kind: metadataElement, xml, prefix, uri: namespace, flags: metadataOfConfig },
      `mark machine ${of.name}`,
      signal,
    ),

  snapshotsOf: async (of, signal) =>
    (
      await call(
        procedures.snapshotNames,
        { domain: of, most: mostSnapshots, flags: 0 },
        `list snapshots of machine ${of.name}`,
        signal,
      )
    ).names,

  attachDevice: onDevice(call, procedures.attachDevice, "plug a device into"),
  detachDevice: onDevice(call, procedures.detachDevice, "unplug a device of"),
  updateDevice: onDevice(call, procedures.updateDevice, "change a device of"),

  setCores: (of, count, affects, signal) =>
    call(
      procedures.setCpus,
      { domain: of, count, flags: affectFlags[affects] },
      `change the cores of machine ${of.name}`,
      signal,
    ),

  setMemory: (of, memoryMiB, affects, signal) =>
    call(
      procedures.setMemory,
      { domain: of, memoryKiB: memoryMiB * 1024, flags: affectFlags[affects] },
      `change the memory of machine ${of.name}`,
      signal,
    ),

  resizeBlock: (of, disk, bytes, signal) =>
    call(
      procedures.resizeBlock,
      { domain: of, disk, size: bytes, flags: sizeInBytes },
      `grow ${disk} of machine ${of.name}`,
      signal,
    ),

  async askAgent(of, command, signal) {
    const args = { domain: of, command: JSON.stringify(command), timeout: agentPatience, flags: 0 };
    const { answer } = await call(agentCommand, args, `ask the agent in ${of.name}`, signal);
    return answer === undefined ? undefined : (JSON.parse(answer) as unknown);
  },

  openConsole: (of, on, isForced = false) =>
    connection.open(
      procedures.openConsole,
      { domain: of, device: undefined, flags: isForced ? 1 : 0 },
      `open the console of ${of.name}`,
      on,
    ),

  async watchDomains(heard) {
    const stop = connection.on(messages.lifecycle, ({ domain: of, event }) =>
      heard({ domain: of, change: changes[event] ?? "unknown" }),
    );
    const doing = "watch machines";
    const { callback } = await call(
      procedures.watchDomains,
      { event: ofLifecycle, domain: undefined },
      doing,
    );
    return async () => {
      stop();
      if (connection.isOpen) await call(procedures.unwatchDomains, { callback }, doing);
    };
  },
});

function loadIn(values: { field: string; value: number | boolean | string }[]): DomainLoad {
  const told = new Map(values.map(({ field, value }) => [field, value]));
  const numberOf = (field: string): number | undefined => {
    const value = told.get(field);
    return typeof value === "number" ? value : undefined;
  };
  const [has, free] = [
    numberOf("balloon.available"),
    numberOf("balloon.usable") ?? numberOf("balloon.unused"),
  ];
  return {
    cpuNs: numberOf("cpu.time"),
    memoryUsedKiB: has !== undefined && free !== undefined ? has - free : numberOf("balloon.rss"),
  };
}
