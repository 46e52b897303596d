import path from "node:path";
import { textAt } from "../../../lib/index.ts";
import { define, findDomain, undefine } from "../domains/domain-calls.ts";
import { coresOf, memoryKiB } from "../domains/hardware.ts";
import { cutPower, shutDown, startDomain } from "../domains/power.ts";
import { currentXml, lifecycle, refOf, type SimHost } from "../host.ts";
import { maxCores } from "../host/capabilities.ts";
import { bridgeOf, defineNetwork, findNetwork, startNetwork } from "../networks/networks.ts";
import { internalError, noDomain, noVolume } from "../refusal.ts";
import { placeAt } from "../storage/places.ts";
import { definePool, findPool, poolNamed } from "../storage/pools.ts";
import { volumeRef } from "../storage/storage-calls.ts";
import { findVolume } from "../storage/volumes.ts";
import { served, type ServedCall } from "../wire/call.ts";
import { otherProcedures as procedures } from "./procedures.ts";

const hostCalls: ServedCall[] = [
  served("CONNECT_GET_TYPE", procedures.kind, () => ({ text: "QEMU" })),
  served("CONNECT_GET_URI", procedures.uri, () => ({ text: "qemu:///system" })),
  served("CONNECT_IS_SECURE", procedures.isSecure, () => ({ isOn: true })),
  served("CONNECT_GET_MAX_VCPUS", procedures.maxCores, () => ({ number: maxCores })),
  // Nothing is told: when the simulator ends, its connections do too.
  served("CONNECT_REGISTER_CLOSE_CALLBACK", procedures.watchClosing, () => undefined),
  served("CONNECT_UNREGISTER_CLOSE_CALLBACK", procedures.unwatchClosing, () => undefined),
  served("NODE_GET_SECURITY_MODEL", procedures.securityModel, () => ({ model: [], doi: [] })),
];

const domainCalls: ServedCall[] = [
  served("DOMAIN_LOOKUP_BY_ID", procedures.findDomainById, ({ host }, { id }) => {
    const found = Object.values(host.state.domains).find((each) => each.id === id && id >= 0);
    if (!found) throw noDomain("qemu", `no domain with matching id ${id}`);
    return { domain: refOf(found) };
  }),
  served("DOMAIN_CREATE_XML", procedures.createDomain, async ({ host }, { xml }) => {
    const domain = define(host, xml);
    try {
      await startDomain(host, domain);
    } finally {
      // It has no definition: when it stops, or did not even start, it is gone.
      delete domain.defined;
      if (domain.id < 0) delete host.state.domains[domain.uuid];
    }
    return { domain: refOf(domain) };
  }),
  served("DOMAIN_DEFINE_XML", procedures.defineDomain, ({ host }, { xml }) => {
    const domain = define(host, xml);
    host.tell({ domain: refOf(domain), event: lifecycle.defined, detail: 0 });
    return { domain: refOf(domain) };
  }),
  served("DOMAIN_CREATE", procedures.startDomain, ({ host }, { domain }) =>
    startDomain(host, findDomain(host, domain)),
  ),
  served("DOMAIN_DESTROY", procedures.destroyDomain, ({ host }, { domain }) =>
    cutPower(host, findDomain(host, domain), "destroyed"),
  ),
  served("DOMAIN_SHUTDOWN", procedures.shutdownDomain, ({ host }, { domain }) =>
    shutDown(host, findDomain(host, domain)),
  ),
  served("DOMAIN_UNDEFINE", procedures.undefineDomain, ({ host }, { domain }) =>
    undefine(host, findDomain(host, domain), 0),
  ),
  served("DOMAIN_GET_OS_TYPE", procedures.osType, ({ host }, { domain }) => ({
    text: textAt(currentXml(findDomain(host, domain)), "os", "type") ?? "hvm",
  })),
  served("DOMAIN_GET_MAX_MEMORY", procedures.maxMemory, ({ host }, { domain }) => ({
    memoryKiB: memoryKiB(currentXml(findDomain(host, domain)), "memory"),
  })),
  served("DOMAIN_GET_VCPUS_FLAGS", procedures.cores, ({ host }, { domain }) => ({
    number: coresOf(currentXml(findDomain(host, domain))),
  })),
  served("DOMAIN_IS_ACTIVE", procedures.isDomainActive, ({ host }, { domain }) => ({
    isOn: findDomain(host, domain).id >= 0,
  })),
  served("DOMAIN_HAS_MANAGED_SAVE_IMAGE", procedures.hasManagedSave, ({ host }, { domain }) => {
    findDomain(host, domain);
    return { number: 0 };
  }),
  served("DOMAIN_SNAPSHOT_NUM", procedures.snapshotCount, ({ host }, { domain }) => ({
    number: findDomain(host, domain).snapshots?.length ?? 0,
  })),
  served("DOMAIN_LIST_ALL_CHECKPOINTS", procedures.checkpoints, ({ host }, { domain }) => {
    findDomain(host, domain);
    return { items: [], count: 0 };
  }),
  served("DOMAIN_GET_MESSAGES", procedures.domainMessages, ({ host }, { domain }) => {
    findDomain(host, domain);
    return { messages: [] };
  }),
];

const networkCalls: ServedCall[] = [
  served("NETWORK_LOOKUP_BY_UUID", procedures.findNetworkByUuid, ({ host }, { uuid }) => {
    const { name } = findNetwork(host, { uuid, name: "" });
    return { network: { name, uuid } };
  }),
  served("NETWORK_CREATE_XML", procedures.createNetwork, ({ host }, { xml }) => {
    const network = defineNetwork(host, xml);
    startNetwork(host, network);
    return { network: { name: network.name, uuid: network.uuid } };
  }),
  served("NETWORK_GET_AUTOSTART", procedures.networkAutostart, ({ host }, { network }) => ({
    isOn: findNetwork(host, network).startsWithHost,
  })),
  served("NETWORK_GET_BRIDGE_NAME", procedures.networkBridge, ({ host }, { network }) => {
    const bridge = bridgeOf(findNetwork(host, network).xml);
    if (bridge === undefined)
      throw internalError("network", `network '${network.name}' does not have a bridge name.`);
    return { text: bridge };
  }),
  served("NETWORK_IS_PERSISTENT", procedures.isNetworkPersistent, ({ host }, { network }) => {
    findNetwork(host, network);
    return { isOn: true };
  }),
];

const storageCalls: ServedCall[] = [
  served("STORAGE_POOL_LOOKUP_BY_UUID", procedures.findPoolByUuid, ({ host }, { uuid }) => {
    const { name } = findPool(host, { uuid, name: "" });
    return { pool: { name, uuid } };
  }),
  served("STORAGE_POOL_LOOKUP_BY_VOLUME", procedures.findPoolByVolume, ({ host }, { volume }) => {
    const { name, uuid } = poolNamed(host, volume.pool);
    return { pool: { name, uuid } };
  }),
  served("STORAGE_POOL_CREATE_XML", procedures.createPool, ({ host }, { xml }) => {
    const found = definePool(host, xml);
    placeAt(host, found.path, found.kind === "logical");
    found.isActive = true;
    return { pool: { name: found.name, uuid: found.uuid } };
  }),
  served("STORAGE_POOL_GET_AUTOSTART", procedures.poolAutostart, ({ host }, { pool }) => ({
    isOn: findPool(host, pool).startsWithHost,
  })),
  served("STORAGE_POOL_IS_PERSISTENT", procedures.isPoolPersistent, ({ host }, { pool }) => {
    findPool(host, pool);
    return { isOn: true };
  }),
  served("STORAGE_VOL_LOOKUP_BY_KEY", procedures.findVolumeByKey, ({ host }, { key }) =>
    volumeBy(host, "key", key),
  ),
  served("STORAGE_VOL_LOOKUP_BY_PATH", procedures.findVolumeByPath, ({ host }, { path: at }) =>
    volumeBy(host, "path", at),
  ),
];

/** Keys of volumes are their paths. */
function volumeBy(host: SimHost, what: "key" | "path", at: string) {
  const folder = path.posix.dirname(at);
  const pool = Object.values(host.state.pools).find((each) => each.isActive && each.path === folder);
  if (!pool) throw noVolume("storage", `no storage vol with matching ${what} '${at}'`);
  return { volume: volumeRef(pool, findVolume(host, pool, path.posix.basename(at))) };
}

export const otherCalls: ServedCall[] = [...hostCalls, ...domainCalls, ...networkCalls, ...storageCalls];
