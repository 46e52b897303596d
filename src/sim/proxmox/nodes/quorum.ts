import type { Call } from "../../../clients/proxmox/endpoints/index.ts";
import { ApiError, refusal } from "../api-error.ts";
import { nodeNames, type Cluster } from "../cluster.ts";

export const isOnline = (cluster: Cluster, node: string): boolean =>
  cluster.state.offline[node] === undefined;

/** More than half of the nodes see each other. */
export function isQuorate(cluster: Cluster): boolean {
  const nodes = nodeNames(cluster);
  return nodes.filter((node) => isOnline(cluster, node)).length * 2 > nodes.length;
}

/** So long nobody answers; later the neighbours know that there is nobody. */
const silentMs = 10_000;
const timeoutMs = 30_000;
const noRouteMs = 3000;

/** A call for a node that is gone: nothing comes back, then an answer of the node that was asked. */
export async function demandOnline(cluster: Cluster, node: string): Promise<void> {
  const since = cluster.state.offline[node];
  if (since === undefined) return;
  const isFresh = cluster.clock.now() - since < silentMs;
  await cluster.clock.sleep(isFresh ? timeoutMs : noRouteMs);
  throw new ApiError(595, isFresh ? "Connection timed out" : "No route to host");
}

/** Calls that ask for a quorum before they do anything. */
const asksFirst: ReadonlySet<string> = new Set<Call>([
  "POST /nodes/{node}/qemu",
  "POST /nodes/{node}/qemu/{vmid}/clone",
  "POST /nodes/{node}/qemu/{vmid}/status/start",
]);

/** Calls that write a machine's configuration before they answer. */
const writesConfig: ReadonlySet<string> = new Set<Call>([
  "PUT /nodes/{node}/qemu/{vmid}/config",
  "PUT /nodes/{node}/qemu/{vmid}/unlink",
  "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config",
]);

/** Calls that change a file of the whole cluster, with the words they fail with. */
const lockWaitMs = 10_000;
const writesCluster: Partial<Record<string, { words: string; lock: string }>> = {
  ...locked("file-user_cfg", {
    "POST /pools": "create pool",
    "PUT /pools": "update pools",
    "PUT /pools/{poolid}": "update pools",
    "DELETE /pools": "delete pool",
    "DELETE /pools/{poolid}": "delete pool",
    "POST /access/users": "create user",
    "PUT /access/users/{userid}": "update user",
    "DELETE /access/users/{userid}": "delete user",
    "POST /access/users/{userid}/token/{tokenid}": "generating token",
    "PUT /access/users/{userid}/token/{tokenid}": "updating token info",
    "DELETE /access/users/{userid}/token/{tokenid}": "deleting token",
    "POST /access/roles": "create role",
    "PUT /access/roles/{roleid}": "modify role",
    "DELETE /access/roles/{roleid}": "delete role",
    "PUT /access/acl": "ACL update",
  }),
  ...locked("domain-ha", {
    "POST /cluster/ha/resources": "create resource",
    "PUT /cluster/ha/resources/{sid}": "update resource",
    "DELETE /cluster/ha/resources/{sid}": "delete resource",
    "POST /cluster/ha/rules": "create ha rule",
    "PUT /cluster/ha/rules/{rule}": "update HA rules",
    "DELETE /cluster/ha/rules/{rule}": "delete ha rule",
    "POST /cluster/ha/groups": "create ha group",
    "PUT /cluster/ha/groups/{group}": "update ha group",
    "DELETE /cluster/ha/groups/{group}": "delete ha group",
  }),
};

function locked(
  lock: string,
  calls: Partial<Record<Call, string>>,
): Record<string, { words: string; lock: string }> {
  return Object.fromEntries(Object.entries(calls).map(([call, words]) => [call, { words, lock }]));
}

/** Tasks that write a machine's configuration. Switching off does not. */
const writingTasks = new Set([
  "qmconfig",
  "qmdelsnapshot",
  "qmdestroy",
  "qmigrate",
  "qmmove",
  "qmrollback",
  "qmsnapshot",
  "qmtemplate",
  "resize",
]);

const readOnly = (node: string, vmid: string | number, pid: number) =>
  refusal(
    `unable to open file '/etc/pve/nodes/${node}/qemu-server/${vmid}.conf.tmp.${pid}' - Permission denied`,
  );

/** Without a quorum the cluster's files can be read only. */
export async function refuseWithoutQuorum(
  cluster: Cluster,
  call: string,
  params: Record<string, unknown>,
): Promise<void> {
  if (asksFirst.has(call)) throw refusal("cluster not ready - no quorum?");
  if (writesConfig.has(call)) {
    throw readOnly(String(params["node"]), Number(params["vmid"]), cluster.state.nextPid);
  }
  const file = writesCluster[call];
  if (!file) return;
  await cluster.clock.sleep(lockWaitMs);
  throw refusal(`${file.words} failed: cfs-lock '${file.lock}' error: no quorum!`);
}

/** What a task does instead of its work while there is no quorum; undefined where it does not mind. */
export const failWithoutQuorum = (
  type: string,
  node: string,
  id: string | number,
  pid: number,
): ApiError | undefined => (writingTasks.has(type) ? readOnly(node, id, pid) : undefined);
