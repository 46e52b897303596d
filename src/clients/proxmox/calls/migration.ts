import { asFields, asFlag, asNumber, asRecords, asText, type Fields } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { Task } from "../task.ts";
import type { MachineRef } from "./machines.ts";

/** A volume that only the machine's own node has. */
export interface LocalDisk {
  volume: string;
  sizeBytes: number;
  /** A disc in a drive; the seed is one too. */
  isCdrom: boolean;
  isUnused: boolean;
}

/** What Proxmox has against a node as the next place of a machine. */
export interface NodeObstacles {
  node: string;
  missingStorages: string[];
  /** Devices with a name of the whole Proxmox cluster that this node has nothing behind. */
  missingDevices: string[];
  /** Machines that rules of high availability keep off it there; its own number: the node is not among its nodes. */
  blockingVmids: number[];
}

/** What Proxmox says before a machine is moved. */
export interface MigrationOutlook {
  isRunning: boolean;
  localDisks: LocalDisk[];
  /** `hostpci0`, `usb1`: devices of the node itself. */
  localDevices: string[];
  /** Devices that every node has under one name, and whether the machine can move with them while it runs. */
  mappedDevices: { device: string; isLive: boolean }[];
  obstacles: NodeObstacles[];
  /** Machines under high availability that go where it goes. */
  companions: number[];
}

export interface Migration {
  to: string;
  /** A running machine moves without being stopped. */
  isLive: boolean;
  withLocalDisks: boolean;
}

/** A machine under high availability, as its manager sees it now. */
export interface HaService {
  vmid: number;
  node: string;
  /** `started`, `migrate`, `error` … */
  state: string;
}

export interface MigrationCalls {
  migrationOutlook(machine: MachineRef, signal?: AbortSignal): Promise<MigrationOutlook>;
  /** Of a machine under high availability the task only asks its manager, and ends at once. */
  migrateMachine(machine: MachineRef, migration: Migration, signal?: AbortSignal): Promise<Task>;
  haServices(signal?: AbortSignal): Promise<HaService[]>;
}

export const migrationCalls = (call: Call, start: Call<Task>): MigrationCalls => ({
  migrationOutlook: async (machine, signal) => {
    const doing = `ask where machine ${machine.vmid} can be moved to`;
    const data = await call("GET /nodes/{node}/qemu/{vmid}/migrate", doing, { ...machine }, signal);
    return outlookOf(asFields(data));
  },

  migrateMachine: ({ node, vmid }, { to, isLive, withLocalDisks }, signal) => {
    const doing = `move machine ${vmid} from ${node} to ${to}`;
    const params = {
      node,
      vmid,
      target: to,
      online: isLive || undefined,
      "with-local-disks": withLocalDisks || undefined,
    };
    return start("POST /nodes/{node}/qemu/{vmid}/migrate", doing, params, signal);
  },

  haServices: async (signal) => {
    const doing = "ask for the state of high availability";
    const data = await call("GET /cluster/ha/status/current", doing, {}, signal);
    return asRecords(data)
      .filter((entry) => entry["type"] === "service" && asText(entry["sid"]).startsWith("vm:"))
      .map((entry) => ({
        vmid: vmidOf(entry["sid"]),
        node: asText(entry["node"]),
        state: asText(entry["state"]),
      }));
  },
});

const vmidOf = (sid: unknown): number => Number(asText(sid).replace(/^\w+:/, ""));

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : []);

function outlookOf(data: Fields): MigrationOutlook {
  const mapped = asFields(data["mapped-resource-info"]);
  return {
    isRunning: asFlag(data["running"]),
    localDisks: asRecords(data["local_disks"]).map((disk) => ({
      volume: asText(disk["volid"]),
      sizeBytes: asNumber(disk["size"]),
      isCdrom: asFlag(disk["cdrom"]),
      isUnused: asFlag(disk["is_unused"]),
    })),
    localDevices: textsIn(data["local_resources"]),
    mappedDevices: Object.entries(mapped).map(([device, info]) => ({
      device,
      isLive: asFlag(asFields(info)["live-migration"]),
    })),
    obstacles: Object.entries(asFields(data["not_allowed_nodes"])).map(([node, against]) => ({
      node,
      missingStorages: textsIn(asFields(against)["unavailable_storages"]),
      missingDevices: textsIn(asFields(against)["unavailable-resources"]),
      blockingVmids: asRecords(asFields(against)["blocking-ha-resources"]).map(({ sid }) => vmidOf(sid)),
    })),
    companions: textsIn(data["dependent-ha-resources"]).map(vmidOf),
  };
}
