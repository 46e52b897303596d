import { programs } from "./packet.ts";
import {
  f64,
  flag,
  i32,
  i64,
  list,
  nothing,
  optional,
  record,
  str,
  u32,
  u64,
  uuid,
  wideText,
  type Xdr,
} from "./xdr.ts";

/** A call of libvirt's protocol: its number, what it takes and what it gives. The numbers never change. */
export interface Procedure<Args, Result> {
  program: number;
  number: number;
  args: Xdr<Args>;
  result: Xdr<Result>;
}

export const remote = <Args, Result>(
  number: number,
  args: Xdr<Args>,
  result: Xdr<Result>,
): Procedure<Args, Result> => ({ program: programs.remote, number, args, result });

export const domain = record({ name: str, uuid, id: i32 });
export const network = record({ name: str, uuid });
export const pool = record({ name: str, uuid });
export const volume = record({ pool: str, name: str, key: str });
const networkInterface = record({ name: str, mac: str });

export const errorBody = record({ code: i32, domain: i32, message: optional(str), level: i32 });

const ofDomain = record({ domain });
const ofNetwork = record({ network });
const ofPool = record({ pool });
const ofVolume = record({ volume });
const text = record({ text: str });
/** Lists say how many there are once more behind them. */
const listed = <T>(items: Xdr<T>) => record({ items: list(items), count: u32 });
const wantAll = record({ needResults: i32, flags: u32 });

const typedValue: Xdr<number | boolean | string> = {
  write: () => {
    throw new Error("typed values are only read");
  },
  read(from) {
    const kinds = [i32, u32, i64, u64, f64, flag, str] as const;
    const kind = kinds[i32.read(from) - 1];
    if (!kind) throw new Error("a typed value of an unknown kind");
    return kind.read(from);
  },
};

/** Everything a deployer asks for, by what it does. */
export const procedures = {
  open: remote(1, record({ uri: optional(str), flags: u32 }), nothing),
  close: remote(2, nothing, nothing),
  hypervisorVersion: remote(4, nothing, record({ version: u64 })),
  libvirtVersion: remote(157, nothing, record({ version: u64 })),
  hostname: remote(59, nothing, text),
  supportsFeature: remote(60, record({ feature: i32 }), record({ supported: i32 })),
  capabilities: remote(7, nothing, text),
  domainCapabilities: remote(
    342,
    record({
      emulator: optional(str),
      arch: optional(str),
      machine: optional(str),
      kind: optional(str),
      flags: u32,
    }),
    text,
  ),
  nodeInfo: remote(
    6,
    nothing,
    record({
      model: wideText,
      memoryKiB: u64,
      cpus: i32,
      mhz: i32,
      nodes: i32,
      sockets: i32,
      cores: i32,
      threads: i32,
    }),
  ),
  freeMemory: remote(102, nothing, record({ bytes: u64 })),
  authList: remote(66, nothing, record({ kinds: list(i32) })),
  authPolkit: remote(70, nothing, record({ complete: i32 })),

  listDomains: remote(273, wantAll, listed(domain)),
  findDomain: remote(23, record({ name: str }), ofDomain),
  findDomainByUuid: remote(24, record({ uuid }), ofDomain),
  defineDomain: remote(350, record({ xml: str, flags: u32 }), ofDomain),
  startDomain: remote(196, record({ domain, flags: u32 }), ofDomain),
  destroyDomain: remote(234, record({ domain, flags: u32 }), nothing),
  shutdownDomain: remote(258, record({ domain, flags: u32 }), nothing),
  rebootDomain: remote(27, record({ domain, flags: u32 }), nothing),
  resetDomain: remote(245, record({ domain, flags: u32 }), nothing),
  renameDomain: remote(358, record({ domain, name: optional(str), flags: u32 }), record({ result: i32 })),
  undefineDomain: remote(231, record({ domain, flags: u32 }), nothing),
  domainXml: remote(14, record({ domain, flags: u32 }), text),
  domainInfo: remote(
    16,
    ofDomain,
    record({ state: u32, maxMemoryKiB: u64, memoryKiB: u64, cpus: u32, cpuNs: u64 }),
  ),
  domainState: remote(212, record({ domain, flags: u32 }), record({ state: i32, reason: i32 })),
  isDomainPersistent: remote(151, ofDomain, record({ isOn: flag })),
  domainAutostart: remote(15, ofDomain, record({ isOn: flag })),
  setDomainAutostart: remote(29, record({ domain, isOn: flag }), nothing),
  setDomainMetadata: remote(
    264,
    record({ domain, kind: i32, xml: optional(str), prefix: optional(str), uri: optional(str), flags: u32 }),
    nothing,
  ),
  domainMetadata: remote(265, record({ domain, kind: i32, uri: optional(str), flags: u32 }), text),
  snapshotNames: remote(188, record({ domain, most: i32, flags: u32 }), record({ names: list(str) })),
  attachDevice: remote(160, record({ domain, xml: str, flags: u32 }), nothing),
  detachDevice: remote(161, record({ domain, xml: str, flags: u32 }), nothing),
  updateDevice: remote(174, record({ domain, xml: str, flags: u32 }), nothing),
  openConsole: remote(201, record({ domain, device: optional(str), flags: u32 }), nothing),
  resizeBlock: remote(251, record({ domain, disk: str, size: u64, flags: u32 }), nothing),
  setCpus: remote(199, record({ domain, count: u32, flags: u32 }), nothing),
  setMemory: remote(204, record({ domain, memoryKiB: u64, flags: u32 }), nothing),
  domainStats: remote(
    344,
    record({ domains: list(domain), stats: u32, flags: u32 }),
    record({
      stats: list(record({ domain, values: list(record({ field: str, value: typedValue })) })),
    }),
  ),
  domainAddresses: remote(
    353,
    record({ domain, source: u32, flags: u32 }),
    record({
      nics: list(
        record({
          name: str,
          mac: optional(str),
          addresses: list(record({ family: i32, address: str, prefix: u32 })),
        }),
      ),
    }),
  ),

  listNetworks: remote(283, wantAll, listed(network)),
  findNetwork: remote(46, record({ name: str }), ofNetwork),
  defineNetwork: remote(41, record({ xml: str }), ofNetwork),
  startNetwork: remote(39, ofNetwork, nothing),
  destroyNetwork: remote(42, ofNetwork, nothing),
  undefineNetwork: remote(49, ofNetwork, nothing),
  networkXml: remote(43, record({ network, flags: u32 }), text),
  setNetworkAutostart: remote(48, record({ network, isOn: flag }), nothing),
  isNetworkActive: remote(152, ofNetwork, record({ isOn: flag })),
  updateNetwork: remote(
    291,
    record({ network, command: u32, section: u32, parent: i32, xml: str, flags: u32 }),
    nothing,
  ),
  networkLeases: remote(
    341,
    record({ network, mac: optional(str), needResults: i32, flags: u32 }),
    listed(
      record({
        interface: str,
        expiry: i64,
        family: i32,
        mac: optional(str),
        iaid: optional(str),
        address: str,
        prefix: u32,
        hostname: optional(str),
        clientId: optional(str),
      }),
    ),
  ),

  listInterfaces: remote(284, wantAll, listed(networkInterface)),
  interfaceXml: remote(130, record({ interface: networkInterface, flags: u32 }), text),

  listPools: remote(281, wantAll, listed(pool)),
  findPool: remote(84, record({ name: str }), ofPool),
  findPoolByPath: remote(391, record({ path: str }), ofPool),
  definePool: remote(77, record({ xml: str, flags: u32 }), ofPool),
  buildPool: remote(79, record({ pool, flags: u32 }), nothing),
  startPool: remote(78, record({ pool, flags: u32 }), nothing),
  destroyPool: remote(80, ofPool, nothing),
  deletePool: remote(81, record({ pool, flags: u32 }), nothing),
  undefinePool: remote(82, ofPool, nothing),
  refreshPool: remote(83, record({ pool, flags: u32 }), nothing),
  poolInfo: remote(87, ofPool, record({ state: u32, capacity: u64, allocation: u64, available: u64 })),
  poolXml: remote(88, record({ pool, flags: u32 }), text),
  setPoolAutostart: remote(90, record({ pool, isOn: flag }), nothing),
  isPoolActive: remote(154, ofPool, record({ isOn: flag })),

  listVolumes: remote(282, record({ pool, needResults: i32, flags: u32 }), listed(volume)),
  findVolume: remote(95, record({ pool, name: str }), ofVolume),
  createVolume: remote(93, record({ pool, xml: str, flags: u32 }), ofVolume),
  cloneVolume: remote(125, record({ pool, xml: str, source: volume, flags: u32 }), ofVolume),
  uploadVolume: remote(208, record({ volume, offset: u64, length: u64, flags: u32 }), nothing),
  downloadVolume: remote(209, record({ volume, offset: u64, length: u64, flags: u32 }), nothing),
  resizeVolume: remote(260, record({ volume, capacity: u64, flags: u32 }), nothing),
  deleteVolume: remote(94, record({ volume, flags: u32 }), nothing),
  volumeInfo: remote(98, ofVolume, record({ kind: i32, capacity: u64, allocation: u64 })),
  volumePath: remote(100, ofVolume, text),
  volumeXml: remote(99, record({ volume, flags: u32 }), text),

  watchDomains: remote(316, record({ event: i32, domain: optional(domain) }), record({ callback: i32 })),
  unwatchDomains: remote(317, record({ callback: i32 }), nothing),
} as const;

/** What libvirt tells without being asked. */
export const messages = {
  lifecycle: { number: 318, body: record({ callback: i32, domain, event: i32, detail: i32 }) },
  agent: { number: 348, body: record({ callback: i32, domain, state: i32, reason: i32 }) },
} as const;

/** Asks the agent in a guest; a program of its own beside libvirt's main one. */
export const agentCommand: Procedure<
  { domain: { name: string; uuid: string; id: number }; command: string; timeout: number; flags: number },
  { answer: string | undefined }
> = {
  program: programs.qemu,
  number: 3,
  args: record({ domain, command: str, timeout: i32, flags: u32 }),
  result: record({ answer: optional(str) }),
};
