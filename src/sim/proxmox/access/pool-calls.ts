import { ApiError, refusal, taskError } from "../api-error.ts";
import { demandPermissionChange } from "./caller.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import { splitList } from "../parameters/formats.ts";
import { inHashOrder } from "../hash-order.ts";
import type { Pool } from "../state.ts";
import { storagesOf, usage } from "../storage/volumes.ts";
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
  const storages = pool.storages
    .filter((name) => storagesOf(cluster)[name] && (type ?? "storage") === "storage")
    .map((name) => {
      const { total, used } = usage(cluster, name, context.entry);
      return {
        type: "storage",
        id: `storage/${context.entry}/${name}`,
        storage: name,
        node: context.entry,
        status: "available",
        maxdisk: total,
        disk: used,
      };
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
      else join(pools, params.poolid, Number(vmid), params["allow-move"] ?? false);
    }
    for (const storage of splitList(params.storage ?? "")) {
      demandPermissionChange(cluster, caller, `/storage/${storage}`);
      if (params.delete) pool.storages = pool.storages.filter((name) => name !== storage);
      else if (!pool.storages.includes(storage)) pool.storages.push(storage);
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

function join(pools: Record<string, Pool>, poolid: string, vmid: number, canMove: boolean): void {
  const before = Object.entries(pools).find(([, pool]) => pool.vms.includes(vmid));
  if (before?.[0] === poolid) throw refusal(`VM ${vmid} is already a pool member`);
  if (before && !canMove) {
    throw refusal(`VM ${vmid} belongs already to pool '${before[0]}' and 'allow-move' is not set`);
  }
  if (before) leave(before[1], vmid);
  pools[poolid]?.vms.push(vmid);
}

function removePool({ cluster }: CallContext, { poolid }: { poolid: string }): void {
  const pool = cluster.state.pools[poolid];
  if (!pool) throw refusal(`delete pool failed: pool '${poolid}' does not exist`);
  const member = pool.vms[0];
  if (member !== undefined) {
    throw refusal(`delete pool failed: pool '${poolid}' is not empty (contains VM ${member})`);
  }
  const storage = pool.storages[0];
  if (storage !== undefined) {
    throw refusal(`delete pool failed: pool '${poolid}' is not empty (contains storage '${storage}')`);
  }
  delete cluster.state.pools[poolid];
  cluster.changed();
}
