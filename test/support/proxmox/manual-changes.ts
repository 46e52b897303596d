import { makeCall, type Call } from "../../../src/clients/proxmox/wire/call.ts";
import { Connections } from "../../../src/clients/proxmox/wire/connection.ts";
import { taskWatcher } from "../../../src/clients/proxmox/task.ts";
import type { Rehearsal } from "../../../src/operations/rehearsal/world.ts";
import type { ProxmoxHost } from "../../../src/spec/index.ts";

/** What somebody does in the Proxmox web page while nobody looks. */
export interface ByHand extends Disposable {
  call: Call;
  /** Moves a running machine with all its disks. */
  migrate(from: string, vmid: number, target: string): Promise<void>;
}

const never = new AbortController().signal;

export function byHand(rehearsal: Rehearsal, host: ProxmoxHost): ByHand {
  const { datacenter, time } = rehearsal;
  const { clock } = time;
  const url = new URL(host.proxmox.url);
  const { dial, calls } = rehearsal.world(never, () => {});
  const { id } = host.proxmox.token;
  const secret = datacenter.proxmox.state().tokens[id]?.secret ?? "";
  const connections = new Connections({ url, trust: { ca: datacenter.ca }, dial });
  const credentials = { authorization: `PVEAPIToken=${id}=${secret}` };
  const call = makeCall({ url, connections, credentials, clock, calls, timeoutMs: 30_000 });
  const task = taskWatcher(call, clock, url.origin);
  return {
    call,
    async migrate(from, vmid, target) {
      const params = { node: from, vmid, target, online: true, "with-local-disks": true };
      const upid = await call("POST /nodes/{node}/qemu/{vmid}/migrate", "migrate", params);
      await task(String(upid), "migrate").wait();
    },
    [Symbol.dispose]: () => connections.destroy(),
  };
}
