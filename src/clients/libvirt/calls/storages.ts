import type { Call, Transfer } from "../wire/connection.ts";
import { procedures } from "../wire/procedures.ts";

export interface Pool {
  name: string;
  uuid: string;
}

export interface Volume {
  pool: string;
  name: string;
  key: string;
}

export interface PoolInfo {
  isActive: boolean;
  capacityBytes: number;
  availableBytes: number;
}

const running = 2;

export interface StorageCalls {
  pools(signal?: AbortSignal): Promise<Pool[]>;
  findPool(name: string, signal?: AbortSignal): Promise<Pool>;
  definePool(xml: string, signal?: AbortSignal): Promise<Pool>;
  /** Makes what it stands on, for example its folder. */
  buildPool(of: Pool, signal?: AbortSignal): Promise<void>;
  startPool(of: Pool, signal?: AbortSignal): Promise<void>;
  destroyPool(of: Pool, signal?: AbortSignal): Promise<void>;
  undefinePool(of: Pool, signal?: AbortSignal): Promise<void>;
  /** Sees files that others have put there. */
  refreshPool(of: Pool, signal?: AbortSignal): Promise<void>;
  poolInfo(of: Pool, signal?: AbortSignal): Promise<PoolInfo>;
  poolXml(of: Pool, signal?: AbortSignal): Promise<string>;
  setPoolStartsWithHost(of: Pool, isOn: boolean, signal?: AbortSignal): Promise<void>;

  volumes(of: Pool, signal?: AbortSignal): Promise<Volume[]>;
  findVolume(of: Pool, name: string, signal?: AbortSignal): Promise<Volume>;
  createVolume(of: Pool, xml: string, signal?: AbortSignal): Promise<Volume>;
  /** A full copy, made by the host itself. */
  cloneVolume(of: Pool, xml: string, source: Volume, signal?: AbortSignal): Promise<Volume>;
  /**
   * On a connection of its own. It overwrites and never shortens, so a new image needs a new volume. Less than 4 MiB of
   * what it was given are still to be sent whenever it asks for more.
   */
  uploadVolume(of: Volume, content: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void>;
  /**
   * As it lies there, holes as zeros: of a disk in a file the file, not what the machine sees. On a connection of its own,
   * which is read only as fast as `work` takes it.
   */
  downloadVolume<T>(
    of: Volume,
    work: (content: AsyncIterable<Buffer>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
  resizeVolume(of: Volume, bytes: number, signal?: AbortSignal): Promise<void>;
  removeVolume(of: Volume, signal?: AbortSignal): Promise<void>;
  volumeInfo(of: Volume, signal?: AbortSignal): Promise<{ capacityBytes: number; allocatedBytes: number }>;
  volumePath(of: Volume, signal?: AbortSignal): Promise<string>;
  volumeXml(of: Volume, signal?: AbortSignal): Promise<string>;
}

export const storageCalls = (call: Call, transfer: Transfer): StorageCalls => ({
  ...poolCalls(call),
  ...volumeCalls(call),
  ...transferCalls(transfer),
});

const poolCalls = (call: Call) => ({
  pools: async (signal?: AbortSignal) =>
    (await call(procedures.listPools, { needResults: 1, flags: 0 }, "list storage pools", signal)).items,

  findPool: async (name: string, signal?: AbortSignal) =>
    (await call(procedures.findPool, { name }, `find storage pool ${name}`, signal)).pool,

  definePool: async (xml: string, signal?: AbortSignal) =>
    (await call(procedures.definePool, { xml, flags: 0 }, "define a storage pool", signal)).pool,

  buildPool: (of: Pool, signal?: AbortSignal) =>
    call(procedures.buildPool, { pool: of, flags: 0 }, `build storage pool ${of.name}`, signal),

  startPool: (of: Pool, signal?: AbortSignal) =>
    call(procedures.startPool, { pool: of, flags: 0 }, `start storage pool ${of.name}`, signal),

  destroyPool: (of: Pool, signal?: AbortSignal) =>
    call(procedures.destroyPool, { pool: of }, `stop storage pool ${of.name}`, signal),

  undefinePool: (of: Pool, signal?: AbortSignal) =>
    call(procedures.undefinePool, { pool: of }, `remove storage pool ${of.name}`, signal),

  refreshPool: (of: Pool, signal?: AbortSignal) =>
    call(procedures.refreshPool, { pool: of, flags: 0 }, `refresh storage pool ${of.name}`, signal),

  async poolInfo(of: Pool, signal?: AbortSignal): Promise<PoolInfo> {
    const info = await call(procedures.poolInfo, { pool: of }, `look at storage pool ${of.name}`, signal);
    return {
      isActive: info.state === running,
      capacityBytes: info.capacity,
      availableBytes: info.available,
    };
  },

  poolXml: async (of: Pool, signal?: AbortSignal) =>
    (await call(procedures.poolXml, { pool: of, flags: 0 }, `read storage pool ${of.name}`, signal)).text,

  setPoolStartsWithHost: (of: Pool, isOn: boolean, signal?: AbortSignal) =>
    call(procedures.setPoolAutostart, { pool: of, isOn }, `change storage pool ${of.name}`, signal),
});

const volumeCalls = (call: Call) => ({
  volumes: async (of: Pool, signal?: AbortSignal) =>
    (
      await call(
        procedures.listVolumes,
        { pool: of, needResults: 1, flags: 0 },
        `list volumes of ${of.name}`,
        signal,
      )
    ).items,

  findVolume: async (of: Pool, name: string, signal?: AbortSignal) =>
    (await call(procedures.findVolume, { pool: of, name }, `find volume ${name}`, signal)).volume,

  createVolume: async (of: Pool, xml: string, signal?: AbortSignal) =>
    (
      await call(
        procedures.createVolume,
        { pool: of, xml, flags: 0 },
        `create a volume in ${of.name}`,
        signal,
      )
    ).volume,

  cloneVolume: async (of: Pool, xml: string, source: Volume, signal?: AbortSignal) =>
    (
      await call(
        procedures.cloneVolume,
        { pool: of, xml, source, flags: 0 },
        `copy volume ${source.name}`,
        signal,
      )
    ).volume,

  resizeVolume: (of: Volume, bytes: number, signal?: AbortSignal) =>
    call(
      procedures.resizeVolume,
      { volume: of, capacity: bytes, flags: 0 },
      `grow volume ${of.name}`,
      signal,
    ),

  removeVolume: (of: Volume, signal?: AbortSignal) =>
    call(procedures.deleteVolume, { volume: of, flags: 0 }, `remove volume ${of.name}`, signal),

  async volumeInfo(of: Volume, signal?: AbortSignal) {
    const info = await call(procedures.volumeInfo, { volume: of }, `look at volume ${of.name}`, signal);
    return { capacityBytes: info.capacity, allocatedBytes: info.allocation };
  },

  volumePath: async (of: Volume, signal?: AbortSignal) =>
    (await call(procedures.volumePath, { volume: of }, `find volume ${of.name}`, signal)).text,

  volumeXml: async (of: Volume, signal?: AbortSignal) =>
    (await call(procedures.volumeXml, { volume: of, flags: 0 }, `read volume ${of.name}`, signal)).text,
});

const transferCalls = (transfer: Transfer) => ({
  uploadVolume: (of: Volume, content: AsyncIterable<Buffer>, signal?: AbortSignal) =>
    transfer((own, limited) =>
      own.send(
        procedures.uploadVolume,
        { volume: of, offset: 0, length: 0, flags: 0 },
        content,
        `upload volume ${of.name}`,
        limited,
        signal,
      ),
    ),

  downloadVolume: <T>(
    of: Volume,
    work: (content: AsyncIterable<Buffer>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> =>
    transfer((own, limited) =>
      work(
        own.take(
          procedures.downloadVolume,
          { volume: of, offset: 0, length: 0, flags: 0 },
          `download volume ${of.name}`,
          limited,
          signal,
        ),
      ),
    ),
});
