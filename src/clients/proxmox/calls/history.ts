import { asFields, asNumber, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { MachineRef } from "./machines.ts";

/** A task that worked on a machine and is over. */
export interface PastTask {
  /** `qmstop`, `qmshutdown`, `qmstart`, `hastop` … */
  type: string;
  /** Who asked for it, with the token's name behind a `!`. */
  by: string;
  /** Seconds since 1970. */
  endedAt: number;
  /** `OK`, or why it failed. */
  outcome: string;
}

/** A machine's power, as its own process tells it. */
export interface MachinePower {
  isRunning: boolean;
  /** `running`, `paused`, `io-error`, `internal-error`, `prelaunch` … */
  condition: string;
  /** State under high availability, `error` or `fence` among them; empty when it is not managed. */
  haState: string;
}

export interface HistoryCalls {
  /** The latest tasks of a machine on the node it is on, newest first. */
  pastTasks(machine: MachineRef, signal?: AbortSignal): Promise<PastTask[]>;
  machinePower(machine: MachineRef, signal?: AbortSignal): Promise<MachinePower>;
}

export const historyCalls = (call: Call): HistoryCalls => ({
  pastTasks: async ({ node, vmid }, signal) => {
    const params = { node, vmid, source: "archive", limit: 20 } as const;
    const data = await call("GET /nodes/{node}/tasks", `list tasks of machine ${vmid}`, params, signal);
    return asRecords(data).map((task) => {
      const token = asText(task["tokenid"]);
      return {
        type: asText(task["type"]),
        by: `${asText(task["user"])}${token === "" ? "" : `!${token}`}`,
        endedAt: asNumber(task["endtime"]),
        outcome: asText(task["status"]),
      };
    });
  },

  machinePower: async (machine, signal) => {
    const doing = `read the state of machine ${machine.vmid}`;
    const data = asFields(
      await call("GET /nodes/{node}/qemu/{vmid}/status/current", doing, { ...machine }, signal),
    );
    return {
      isRunning: data["status"] === "running",
      condition: asText(data["qmpstatus"]),
      haState: asText(asFields(data["ha"])["state"]),
    };
  },
});
