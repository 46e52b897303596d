import type { Call } from "../../../clients/proxmox/endpoints/index.ts";
import type { FaultKind } from "../../faults.ts";
import { ApiError, refusal } from "../api-error.ts";
import type { TaskFault } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { lockTimeout, vmLockFile, vmLockWaitMs } from "../locks.ts";
import { cutPower } from "../vm/power.ts";
import type { RawParams } from "../parameters/verify.ts";

/** Calls whose locks are taken before they answer; elsewhere a time-out shows in the task. */
const locksAtOnce: ReadonlySet<string> = new Set<Call>([
  "POST /nodes/{node}/qemu",
  "PUT /nodes/{node}/qemu/{vmid}/config",
]);

/** An injected fault that strikes instead of the call. */
export async function faultInsteadOfCall(
  cluster: Cluster,
  kind: FaultKind | undefined,
  call: string,
  params: RawParams,
): Promise<void> {
  const isRead = call.startsWith("GET ");
  if (kind === "error") {
    throw refusal(
      isRead ? "ipcc_send_rec[1] failed: Connection refused" : "got no worker upid - start worker failed",
    );
  }
  if (kind === "unreachable") throw new ApiError(595, "No route to host");
  if (kind === "lock" && (isRead || locksAtOnce.has(call) || !call.includes("{node}"))) {
    await cluster.clock.sleep(vmLockWaitMs);
    throw call.includes("{vmid}") || params["vmid"] !== undefined
      ? lockTimeout(vmLockFile(Number(params["vmid"])))
      : refusal("cfs-lock 'file-user_cfg' error: got lock request timeout");
  }
  if (kind === "die") await loseGuests(cluster, params);
}

/** What a fault does to the task the call starts. */
export const faultInTask = (kind: FaultKind | undefined): TaskFault =>
  kind === "lock" || kind === "die" ? kind : undefined;

/** The machine the call names loses power, or every machine of the node it names. */
async function loseGuests(cluster: Cluster, params: RawParams): Promise<void> {
  const victims = Object.values(cluster.state.vms).filter((vm) =>
    params["vmid"] === undefined ? vm.node === params["node"] : vm.vmid === Number(params["vmid"]),
  );
  await Promise.all(victims.map((vm) => cutPower(cluster, vm)));
}
