import { asFields, asFlag, asNumber, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { MachineRef } from "./machines.ts";
import type { Task } from "../task.ts";

export interface SnapshotInfo {
  name: string;
  description: string;
  /** Seconds since 1970. */
  takenAt: number;
}

export interface SnapshotCalls {
  /** Whether all of its disks lie on storages that can. */
  canSnapshot(machine: MachineRef, signal?: AbortSignal): Promise<boolean>;
  /** Oldest first. */
  snapshotsOf(machine: MachineRef, signal?: AbortSignal): Promise<SnapshotInfo[]>;
  /** Disks only: a machine that runs is not disturbed, and its memory is not kept. */
  takeSnapshot(
    machine: MachineRef,
    snapshot: Omit<SnapshotInfo, "takenAt">,
    signal?: AbortSignal,
  ): Promise<Task>;
  /** The machine is stopped by it, and stays so. */
  rollBack(machine: MachineRef, name: string, signal?: AbortSignal): Promise<Task>;
}

export const snapshotCalls = (call: Call, start: Call<Task>): SnapshotCalls => ({
  canSnapshot: async (machine, signal) => {
    const doing = `ask whether machine ${machine.vmid} can have snapshots`;
    const params = { ...machine, feature: "snapshot" } as const;
    const data = await call("GET /nodes/{node}/qemu/{vmid}/feature", doing, params, signal);
    return asFlag(asFields(data)["hasFeature"]);
  },

  snapshotsOf: async (machine, signal) => {
    const doing = `list snapshots of machine ${machine.vmid}`;
    const data = await call("GET /nodes/{node}/qemu/{vmid}/snapshot", doing, { ...machine }, signal);
    return (
      asRecords(data)
        .map((snapshot) => ({
          name: asText(snapshot["name"]),
          description: asText(snapshot["description"]),
          takenAt: asNumber(snapshot["snaptime"]),
        }))
        // The present stands among them under this name.
        .filter((snapshot) => snapshot.name !== "current")
        .toSorted((a, b) => a.takenAt - b.takenAt || a.name.localeCompare(b.name))
    );
  },

  takeSnapshot: (machine, { name, description }, signal) => {
    const doing = `take snapshot ${name} of machine ${machine.vmid}`;
    const params = { ...machine, snapname: name, description };
    return start("POST /nodes/{node}/qemu/{vmid}/snapshot", doing, params, signal);
  },

  rollBack: (machine, name, signal) => {
    const doing = `roll machine ${machine.vmid} back to ${name}`;
    const params = { ...machine, snapname: name };
    return start("POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback", doing, params, signal);
  },
});
