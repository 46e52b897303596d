import { SlipwayError } from "../../../errors/index.ts";
import { asFields, asFlag, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { MachineConfig, MachineRef } from "./machines.ts";
import type { Task } from "../task.ts";

/** What stands between a machine and its removal. */
export interface MachineHold {
  isRunning: boolean;
  /** High availability keeps it running, and answers for its power. */
  isHaManaged: boolean;
  /** What works on it: `backup`, `snapshot`, `migrate` … */
  lock?: string | undefined;
}

export interface RemovalCalls {
  machineHold(machine: MachineRef, signal?: AbortSignal): Promise<MachineHold>;
  /** Gives a disk to another machine on the same node. The source must be stopped, and no snapshot may hold the disk. */
  giveDisk(
    machine: MachineRef,
    disk: string,
    to: { vmid: number; disk: string },
    signal?: AbortSignal,
  ): Promise<Task>;
  /** Names of its snapshots. */
  snapshots(machine: MachineRef, signal?: AbortSignal): Promise<string[]>;
  snapshotConfig(machine: MachineRef, name: string, signal?: AbortSignal): Promise<MachineConfig>;
  removeSnapshot(machine: MachineRef, name: string, signal?: AbortSignal): Promise<Task>;
  /** VMIDs that high availability looks after. */
  haMachines(signal?: AbortSignal): Promise<number[]>;
  /** Takes it out of the hands of high availability. Ends well when it was not in them. */
  releaseFromHa(vmid: number, signal?: AbortSignal): Promise<void>;
  /** Only what its configuration names; volumes that merely carry its number stay. */
  removeMachineOnly(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
}

export const removalCalls = (call: Call, start: Call<Task>): RemovalCalls => ({
  machineHold: async (machine, signal) => {
    const doing = `read the state of machine ${machine.vmid}`;
    const data = asFields(
      await call("GET /nodes/{node}/qemu/{vmid}/status/current", doing, { ...machine }, signal),
    );
    const lock = asText(data["lock"]);
    return {
      isRunning: data["status"] === "running",
      isHaManaged: asFlag(asFields(data["ha"])["managed"]),
      lock: lock || undefined,
    };
  },

  giveDisk: ({ node, vmid }, disk, to, signal) => {
    const doing = `give ${disk} of machine ${vmid} to machine ${to.vmid}`;
    const params = { node, vmid, disk, "target-vmid": to.vmid, "target-disk": to.disk };
    return start("POST /nodes/{node}/qemu/{vmid}/move_disk", doing, params, signal);
  },

  snapshots: async (machine, signal) => {
    const doing = `list snapshots of machine ${machine.vmid}`;
    const data = await call("GET /nodes/{node}/qemu/{vmid}/snapshot", doing, { ...machine }, signal);
    // The list ends with the present, which is none.
    return asRecords(data)
      .map((snapshot) => asText(snapshot["name"]))
      .filter((name) => name !== "current");
  },

  snapshotConfig: async (machine, snapname, signal) => {
    const doing = `read snapshot ${snapname} of machine ${machine.vmid}`;
    const params = { ...machine, snapname };
    const data = await call(
      "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config",
      doing,
      params,
      signal,
    );
    return Object.fromEntries(Object.entries(asFields(data)).map(([key, value]) => [key, asText(value)]));
  },

  removeSnapshot: (machine, snapname, signal) => {
    const doing = `remove snapshot ${snapname} of machine ${machine.vmid}`;
    const params = { ...machine, snapname };
    return start("DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}", doing, params, signal);
  },

  haMachines: async (signal) => {
    const data = await call("GET /cluster/ha/resources", "list HA resources", { type: "vm" }, signal);
    return asRecords(data).flatMap((resource) => {
      const found = /^vm:(\d+)$/.exec(asText(resource["sid"]));
      return found ? [Number(found[1])] : [];
    });
  },

  releaseFromHa: async (vmid, signal) => {
    try {
      const doing = `release machine ${vmid} from high availability`;
      await call("DELETE /cluster/ha/resources/{sid}", doing, { sid: `vm:${vmid}` }, signal);
    } catch (thrown) {
      const isReleased =
        thrown instanceof SlipwayError &&
        (thrown.code === "PVE_NOT_FOUND" || /no such resource|not HA managed/i.test(thrown.why));
      if (!isReleased) throw thrown;
    }
  },

  removeMachineOnly: ({ node, vmid }, signal) => {
    const doing = `remove machine ${vmid}`;
    const params = { node, vmid, purge: true, "destroy-unreferenced-disks": false };
    return start("DELETE /nodes/{node}/qemu/{vmid}", doing, params, signal);
  },
});
