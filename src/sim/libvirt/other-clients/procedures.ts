import {
  domain,
  flag,
  i32,
  list,
  network,
  nothing,
  optional,
  pool,
  record,
  remote,
  str,
  u32,
  u64,
  uuid,
  volume,
} from "../../../clients/libvirt/wire/index.ts";

const text = record({ text: str });
const isOn = record({ isOn: flag });
const number = record({ number: i32 });
const ofDomain = record({ domain });
const flagged = record({ domain, flags: u32 });
const ofNetwork = record({ network });
const ofPool = record({ pool });

/** Calls that Slipway's own client does without, and virsh and its like do not. */
export const otherProcedures = {
  kind: remote(3, nothing, text),
  uri: remote(110, nothing, text),
  isSecure: remote(149, nothing, isOn),
  maxCores: remote(5, record({ kind: optional(str) }), number),
  watchClosing: remote(360, nothing, nothing),
  unwatchClosing: remote(361, nothing, nothing),
  /** Both in characters of four bytes each. */
  securityModel: remote(122, nothing, record({ model: list(i32), doi: list(i32) })),

  findDomainById: remote(22, record({ id: i32 }), ofDomain),
  createDomain: remote(10, record({ xml: str, flags: u32 }), ofDomain),
  defineDomain: remote(11, record({ xml: str }), ofDomain),
  startDomain: remote(9, ofDomain, nothing),
  destroyDomain: remote(12, ofDomain, nothing),
  shutdownDomain: remote(33, ofDomain, nothing),
  undefineDomain: remote(35, ofDomain, nothing),
  osType: remote(19, ofDomain, text),
  maxMemory: remote(17, ofDomain, record({ memoryKiB: u64 })),
  cores: remote(200, flagged, number),
  isDomainActive: remote(150, ofDomain, isOn),
  hasManagedSave: remote(183, flagged, number),
  snapshotCount: remote(187, flagged, number),
  checkpoints: remote(
    416,
    record({ domain, needResults: i32, flags: u32 }),
    record({ items: list(i32), count: i32 }),
  ),
  domainMessages: remote(427, flagged, record({ messages: list(str) })),

  findNetworkByUuid: remote(47, record({ uuid }), ofNetwork),
  createNetwork: remote(40, record({ xml: str }), ofNetwork),
  networkAutostart: remote(44, ofNetwork, isOn),
  networkBridge: remote(45, ofNetwork, text),
  isNetworkPersistent: remote(153, ofNetwork, isOn),

  findPoolByUuid: remote(85, record({ uuid }), ofPool),
  findPoolByVolume: remote(86, record({ volume }), ofPool),
  createPool: remote(76, record({ xml: str, flags: u32 }), ofPool),
  poolAutostart: remote(89, ofPool, isOn),
  isPoolPersistent: remote(155, ofPool, isOn),
  findVolumeByKey: remote(96, record({ key: str }), record({ volume })),
  findVolumeByPath: remote(97, record({ path: str }), record({ volume })),
} as const;
