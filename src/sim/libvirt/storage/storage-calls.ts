import { procedures } from "../../../clients/libvirt/wire/index.ts";
import type { SimHost } from "../host.ts";
import { noPool, operationInvalid, systemError } from "../refusal.ts";
import { isAskedFor } from "../networks/network-calls.ts";
import type { SimPool, SimVolume } from "../state.ts";
import { served, type ServedCall } from "../wire/call.ts";
import { placeAt } from "./places.ts";
import { definePool, demandActive, demandInactive, findPool, poolInfo, poolNamed, poolXml } from "./pools.ts";
import { downloadOf, uploadTo } from "./transfer.ts";
import {
  findVolume,
  makeVolume,
  placeOf,
  probeVolumes,
  removeVolume,
  resizeVolume,
  volumeXml,
} from "./volumes.ts";

const poolRef = ({ name, uuid }: SimPool) => ({ name, uuid });
export const volumeRef = (pool: SimPool, { name }: SimVolume) => ({
  pool: pool.name,
  name,
  key: `${pool.path}/${name}`,
});

interface VolumeRef {
  pool: string;
  name: string;
}

const poolWith = (host: SimHost, { pool }: VolumeRef): SimPool => demandActive(poolNamed(host, pool));

const poolCalls: ServedCall[] = [
  served("CONNECT_LIST_ALL_STORAGE_POOLS", procedures.listPools, ({ host }, { flags }) => {
    const items = Object.values(host.state.pools).filter(isAskedFor(flags)).map(poolRef);
    return { items, count: items.length };
  }),
  served("STORAGE_POOL_LOOKUP_BY_NAME", procedures.findPool, ({ host }, { name }) => ({
    pool: poolRef(poolNamed(host, name)),
  })),
  served("STORAGE_POOL_LOOKUP_BY_TARGET_PATH", procedures.findPoolByPath, ({ host }, { path }) => {
    const found = Object.values(host.state.pools).find((pool) => pool.path === path);
    if (!found) throw noPool("storage", `no storage pool with matching target path '${path}'`);
    return { pool: poolRef(found) };
  }),
  served("STORAGE_POOL_DEFINE_XML", procedures.definePool, ({ host }, { xml }) => ({
    pool: poolRef(definePool(host, xml)),
  })),
  served("STORAGE_POOL_BUILD", procedures.buildPool, ({ host }, { pool }) => {
    const found = demandInactive(findPool(host, pool));
    placeAt(host, found.path, found.kind === "logical");
    host.changed();
  }),
  served("STORAGE_POOL_CREATE", procedures.startPool, ({ host }, { pool }) => {
    const found = demandInactive(findPool(host, pool));
    if (!host.state.places[found.path])
      throw systemError("storage", `cannot open directory '${found.path}': No such file or directory`);
    found.isActive = true;
    probeVolumes(host, found);
  }),
  served("STORAGE_POOL_DESTROY", procedures.destroyPool, ({ host }, { pool }) => {
    demandActive(findPool(host, pool)).isActive = false;
    host.changed();
  }),
  served("STORAGE_POOL_DELETE", procedures.deletePool, ({ host }, { pool }) => {
    const found = demandInactive(findPool(host, pool));
    if (Object.keys(placeOf(host, found).volumes).length > 0)
      throw operationInvalid("storage", `failed to remove pool '${found.path}': Directory not empty`);
    delete host.state.places[found.path];
    host.changed();
  }),
  served("STORAGE_POOL_UNDEFINE", procedures.undefinePool, ({ host }, { pool }) => {
    const found = findPool(host, pool);
    if (found.isActive) throw operationInvalid("storage", `storage pool '${found.name}' is still active`);
    delete host.state.pools[found.uuid];
    host.changed();
  }),
  served("STORAGE_POOL_REFRESH", procedures.refreshPool, ({ host }, { pool }) =>
    probeVolumes(host, demandActive(findPool(host, pool))),
  ),
  served("STORAGE_POOL_GET_INFO", procedures.poolInfo, ({ host }, { pool }) =>
    poolInfo(host, findPool(host, pool)),
  ),
  served("STORAGE_POOL_GET_XML_DESC", procedures.poolXml, ({ host }, { pool }) => ({
    text: poolXml(host, findPool(host, pool)),
  })),
  served("STORAGE_POOL_SET_AUTOSTART", procedures.setPoolAutostart, ({ host }, { pool, isOn }) => {
    findPool(host, pool).startsWithHost = isOn;
    host.changed();
  }),
  served("STORAGE_POOL_IS_ACTIVE", procedures.isPoolActive, ({ host }, { pool }) => ({
    isOn: findPool(host, pool).isActive,
  })),
];

const volumeCalls: ServedCall[] = [
  served("STORAGE_POOL_LIST_ALL_VOLUMES", procedures.listVolumes, ({ host }, { pool }) => {
    const found = demandActive(findPool(host, pool));
    const items = Object.values(placeOf(host, found).volumes).map((volume) => volumeRef(found, volume));
    return { items, count: items.length };
  }),
  served("STORAGE_VOL_LOOKUP_BY_NAME", procedures.findVolume, ({ host }, { pool, name }) => {
    const found = demandActive(findPool(host, pool));
    return { volume: volumeRef(found, findVolume(host, found, name)) };
  }),
  served("STORAGE_VOL_CREATE_XML", procedures.createVolume, async ({ host }, { pool, xml }) => {
    const found = demandActive(findPool(host, pool));
    await host.clock.sleep(host.latencies.allocateMs);
    return { volume: volumeRef(found, makeVolume(host, found, xml)) };
  }),
  served("STORAGE_VOL_CREATE_XML_FROM", procedures.cloneVolume, async ({ host }, { pool, xml, source }) => {
    const found = demandActive(findPool(host, pool));
    const from = findVolume(host, poolWith(host, source), source.name);
    await host.clock.sleep(host.latencies.importMs);
    return { volume: volumeRef(found, makeVolume(host, found, xml, from)) };
  }),
  served("STORAGE_VOL_UPLOAD", procedures.uploadVolume, ({ host, openStream }, { volume, offset }) => {
    const pool = poolWith(host, volume);
    openStream(uploadTo(host, pool, findVolume(host, pool, volume.name), offset));
  }),
  served(
    "STORAGE_VOL_DOWNLOAD",
    procedures.downloadVolume,
    ({ host, openStream }, { volume, offset, length }) =>
      openStream(downloadOf(findVolume(host, poolWith(host, volume), volume.name), offset, length)),
  ),
  served("STORAGE_VOL_RESIZE", procedures.resizeVolume, async ({ host }, { volume, capacity }) => {
    const pool = poolWith(host, volume);
    findVolume(host, pool, volume.name);
    await host.clock.sleep(host.latencies.resizeMs);
    resizeVolume(host, pool, volume.name, capacity);
  }),
  served("STORAGE_VOL_DELETE", procedures.deleteVolume, ({ host }, { volume }) =>
    removeVolume(host, poolWith(host, volume), volume.name),
  ),
  served("STORAGE_VOL_GET_INFO", procedures.volumeInfo, ({ host }, { volume }) => {
    const pool = poolWith(host, volume);
    const { capacityBytes, allocationBytes } = findVolume(host, pool, volume.name);
    return {
      kind: placeOf(host, pool).isBlock ? 1 : 0,
      capacity: capacityBytes,
      allocation: allocationBytes,
    };
  }),
  served("STORAGE_VOL_GET_PATH", procedures.volumePath, ({ host }, { volume }) => {
    const pool = poolWith(host, volume);
    return { text: volumeRef(pool, findVolume(host, pool, volume.name)).key };
  }),
  served("STORAGE_VOL_GET_XML_DESC", procedures.volumeXml, ({ host }, { volume }) => {
    const pool = poolWith(host, volume);
    return { text: volumeXml(pool, placeOf(host, pool), findVolume(host, pool, volume.name)) };
  }),
];

export const storageCalls: ServedCall[] = [...poolCalls, ...volumeCalls];
