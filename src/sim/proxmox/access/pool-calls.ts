import { ApiError, refusal, taskError, under } from "../api-error.ts";
import { demandPermissionChange } from "./caller.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { splitList } from "../parameters/formats.ts";
import { inHashOrder } from "../hash-order.ts";
import type { Pool } from "../state.ts";
import { storageRow } from "../nodes/cluster-calls.ts";
import { storagesOf } from "../storage/volumes.ts";
import { daemonView } from "../vm/status.ts";

export const poolCalls: Handlers<
  | "GET /pools"
  | "POST /pools"
  | "PUT /pools"
  | "DELETE /pools"
  | "GET /pools/{poolid}"
  | "PUT /pools/{poolid}"
  | "DELETE /pools/{poolid}"
> = {
  "GET /pools": (context, { poolid, type }) => {
    const { pools } = context.cluster.state;
    if (poolid !== undefined) {
      context.demand.all(`/pool/${poolid}`, ["Pool.Audit"]);
      return [{ poolid, ...poolDetail(context, poolid, type) }];
    }
    return inHashOrder(context.cluster, Object.entries(pools))
      .filter(([name]) => context.may.all(`/pool/${name}`, ["Pool.Audit"]))
      .map(([name, pool]) => ({
        poolid: name,
        comment: pool.comment,
      }));
  },

  "POST /pools": ({ cluster }, { poolid, comment }) => {
    const { pools } = cluster.state;
    const parent = poolid.includes("/") ? poolid.slice(0, poolid.lastIndexOf("/")) : undefined;
    if (pools[poolid]) throw refusal(`create pool failed: pool '${poolid}' already exists`);
    if (cluster.version === 9 && !/^[A-Za-z]/.test(poolid))
      throw refusal("create pool failed: pool name must start with a letter");
    if (parent !== undefined && !pools[parent]) {
      throw refusal(`create pool failed: parent '${parent}' of pool '${poolid}' does not exist`);
    }
    pools[poolid] = { vms: [], storages: [], comment };
    cluster.changed();
  },

  "PUT /pools": updatePool,
  "PUT /pools/{poolid}": updatePool,
  "DELETE /pools": removePool,
  "DELETE /pools/{poolid}": removePool,

  "GET /pools/{poolid}": (context, { poolid, type }) => ({
    poolid,
    ...poolDetail(context, poolid, type),
  }),
};

function poolDetail(context: CallContext, poolid: string, type?: string): Record<string, unknown> {
  const { cluster } = context;
  const pool = cluster.state.pools[poolid];
  if (!pool) throw refusal(`pool '${poolid}' does not exist`);
  const guests = pool.vms.flatMap((vmid) => {
    const vm = cluster.state.vms[String(vmid)];
    return vm && (type ?? "qemu") === "qemu" ? [daemonView(cluster, vm)] : [];
  });
  const storages = pool.storages.flatMap((name) => {
    const storage = storagesOf(cluster)[name];
    return storage && (type ?? "storage") === "storage"
      ? [storageRow(cluster, name, storage, context.entry)]
      : [];
  });
  return {
    members: [...guests, ...storages],
    comment: pool.comment,
  };
}

/** All or nothing. */
function updatePool(context: CallContext, params: Params<"PUT /pools">): void {
  const { cluster, caller } = context;
  const pools = structuredClone(cluster.state.pools);
  const pool = pools[params.poolid];
  try {
    if (!pool) throw refusal(`pool '${params.poolid}' does not exist`);
    if (params.comment !== undefined) pool.comment = params.comment;
    for (const vmid of splitList(params.vms ?? "")) {
      demandPermissionChange(cluster, caller, `/vms/${vmid}`);
      if (params.delete) leave(pool, Number(vmid));
      else join(context, pools, params, Number(vmid));
    }
    for (const storage of splitList(params.storage ?? "")) {
      demandPermissionChange(cluster, caller, `/storage/${storage}`);
      const isMember = pool.storages.includes(storage);
      if (isMember !== (params.delete ?? false)) {
        throw refusal(`Storage '${storage}' is ${isMember ? "already" : "not"} a pool member`);
      }
      if (params.delete) pool.storages = pool.storages.filter((name) => name !== storage);
      else pool.storages.push(storage);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw refusal(`update pools failed: ${taskError(error)}`);
  }
  cluster.state.pools = pools;
  cluster.changed();
}

function leave(pool: Pool, vmid: number): void {
  if (!pool.vms.includes(vmid)) throw refusal(`VM ${vmid} is not a pool member`);
  pool.vms = pool.vms.filter((other) => other !== vmid);
}

function join(
  context: CallContext,
  pools: Record<string, Pool>,
  params: Params<"PUT /pools">,
  vmid: number,
): void {
  const { poolid, "allow-move": canMove } = params;
  const before = Object.entries(pools).find(([, pool]) => pool.vms.includes(vmid));
  if (before?.[0] === poolid) throw refusal(`VM ${vmid} is already a pool member`);
  if (before && !canMove) {
    throw refusal(`VM ${vmid} belongs already to pool '${before[0]}' and 'allow-move' is not set`);
  }
  if (before) {
    context.demand.all(`/pool/${before[0]}`, ["Pool.Allocate"]);
    leave(before[1], vmid);
  }
  pools[poolid]?.vms.push(vmid);
}

/** What it held once and is gone does not keep a pool from going too. */
function removePool({ cluster }: CallContext, { poolid }: { poolid: string }): void {
  const { state } = cluster;
  under("delete pool failed", () => {
    const pool = state.pools[poolid];
    if (!pool) throw refusal(`pool '${poolid}' does not exist`);
    const holds = [
      ...Object.keys(state.pools)
        .filter((name) => name.startsWith(`${poolid}/`))
        .map((name) => `pool '${name}'`),
      ...pool.vms.filter((vmid) => state.vms[String(vmid)]).map((vmid) => `VM ${vmid}`),
      ...pool.storages.filter((name) => storagesOf(cluster)[name]).map((name) => `storage '${name}'`),
    ];
    if (holds[0] !== undefined) throw refusal(`pool '${poolid}' is not empty (contains ${holds[0]})`);
    delete state.pools[poolid];
    state.acl = state.acl.filter(({ path }) => path !== `/pool/${poolid}`);
  });
  cluster.changed();
}
