import { asFields, asFlag, asList, asMiB, asNumber, asRecords, asText, sortedBy } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { MachineChange, NewMachine, NewClone } from "../gen/params.ts";
import type { Task } from "../task.ts";

/** One line of a node's fresh list of machines. */
export interface MachineSummary {
  vmid: number;
  name: string;
  isRunning: boolean;
  isTemplate: boolean;
  tags: string[];
  cores: number;
  memoryMiB: number;
  /** What holds the machine: `create`, `backup`, `migrate` … */
  lock?: string | undefined;
}

/** The configuration as Proxmox keeps it, every value as text. */
export type MachineConfig = Record<string, string>;

/** What a machine has now, and what it will have after its next start. The two are alike when nothing waits. */
export interface MachineState {
  now: MachineConfig;
  next: MachineConfig;
}

/** A network card as the guest sees it. */
export interface GuestNic {
  mac: string;
  /** Without prefix length. */
  addresses: string[];
}

/** Where a machine is. */
export interface MachineRef {
  node: string;
  vmid: number;
}

export interface MachineCalls {
  machines(node: string, signal?: AbortSignal): Promise<MachineSummary[]>;
  /** As the machine runs now; changes that wait for its next start are not in it. */
  machineConfig(machine: MachineRef, signal?: AbortSignal): Promise<MachineConfig>;
  /** The same with the changes that wait for its next start. */
  machineState(machine: MachineRef, signal?: AbortSignal): Promise<MachineState>;
  isMachineRunning(machine: MachineRef, signal?: AbortSignal): Promise<boolean>;
  /** The cards of the guest with their addresses, as its agent tells them. Fails while no agent answers. */
  guestNics(machine: MachineRef, signal?: AbortSignal): Promise<GuestNic[]>;
  createMachine(node: string, machine: NewMachine, signal?: AbortSignal): Promise<Task>;
  /** May allocate disks and plug devices, so it is a task. */
  changeMachine(machine: MachineRef, change: MachineChange, signal?: AbortSignal): Promise<Task>;
  /** Without a task, so that nothing is left in the host's history. A digest that is no longer the machine's is refused. */
  describeMachine(
    machine: MachineRef,
    description: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Writes what the machine is told by cloud-init to its drive again, also while it runs. */
  writeSeed(machine: MachineRef, signal?: AbortSignal): Promise<void>;
  /** Growing only. */
  resizeDisk(machine: MachineRef, disk: string, sizeGiB: number, signal?: AbortSignal): Promise<Task>;
  /** The old volume is deleted once the copy is complete. A running machine does not notice. */
  /** A format is said where the storage has several; otherwise the disk keeps its own. */
  moveDisk(
    machine: MachineRef,
    disk: string,
    to: { storage: string; format?: "qcow2" | undefined },
    signal?: AbortSignal,
  ): Promise<Task>;
  startMachine(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
  /** Pulls the plug, and ends a shutdown that is still waiting for the guest. */
  stopMachine(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
  /** As the button on a computer: the guest is not asked, and whoever reads its console goes on reading. */
  resetMachine(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
  /** Asks the guest; after `seconds` the plug is pulled. */
  shutdownMachine(machine: MachineRef, seconds: number, signal?: AbortSignal): Promise<Task>;
  /** With all its disks and every mention of it in jobs. It must be stopped. */
  removeMachine(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
}

export function machineCalls(call: Call, start: Call<Task>): MachineCalls {
  return {
    machines: async (node, signal) =>
      sortedBy(
        asRecords(
          await call("GET /nodes/{node}/qemu", `list machines of node ${node}`, { node }, signal),
        ).map(summary),
        ({ vmid }) => vmid,
      ),

    machineConfig: async (machine, signal) => {
      const doing = `read machine ${machine.vmid}`;
      const data = await call(
        "GET /nodes/{node}/qemu/{vmid}/config",
        doing,
        { ...machine, current: true },
        signal,
      );
      return Object.fromEntries(Object.entries(asFields(data)).map(([key, value]) => [key, asText(value)]));
    },

    machineState: async (machine, signal) => {
      const doing = `read machine ${machine.vmid}`;
      const rows = await call("GET /nodes/{node}/qemu/{vmid}/pending", doing, { ...machine }, signal);
      return stateOf(asRecords(rows));
    },

    isMachineRunning: async (machine, signal) => {
      const doing = `read the state of machine ${machine.vmid}`;
      const data = await call("GET /nodes/{node}/qemu/{vmid}/status/current", doing, { ...machine }, signal);
      return asFields(data)["status"] === "running";
    },

    guestNics: async (machine, signal) => {
      const doing = `ask the guest agent of machine ${machine.vmid}`;
      const path = "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces";
      const { result } = asFields(await call(path, doing, { ...machine }, signal));
      return asRecords(result).map((nic) => ({
        mac: asText(nic["hardware-address"] ?? "").toLowerCase(),
        addresses: asRecords(nic["ip-addresses"] ?? []).map((address) => asText(address["ip-address"])),
      }));
    },

    createMachine: (node, machine, signal) => {
      const doing = `create machine ${machine.vmid} on ${node}`;
      return start("POST /nodes/{node}/qemu", doing, { node, ...machine }, signal);
    },

    changeMachine: ({ node, vmid }, change, signal) => {
      const doing = `change machine ${vmid}`;
      const params = { node, vmid, ...change };
      return start("POST /nodes/{node}/qemu/{vmid}/config", doing, params, signal);
    },

    describeMachine: async ({ node, vmid }, description, digest, signal) => {
      const params = { node, vmid, description, digest };
      await call("PUT /nodes/{node}/qemu/{vmid}/config", `write on machine ${vmid}`, params, signal);
    },

    writeSeed: async ({ node, vmid }, signal) => {
      const doing = `write the cloud-init drive of machine ${vmid}`;
      await call("PUT /nodes/{node}/qemu/{vmid}/cloudinit", doing, { node, vmid }, signal);
    },

    resizeDisk: ({ node, vmid }, disk, sizeGiB, signal) => {
      const doing = `grow ${disk} of machine ${vmid} to ${sizeGiB} GiB`;
      const params = { node, vmid, disk, size: `${sizeGiB}G` };
      return start("PUT /nodes/{node}/qemu/{vmid}/resize", doing, params, signal);
    },

    moveDisk: ({ node, vmid }, disk, to, signal) => {
      const doing = `move ${disk} of machine ${vmid} to storage ${to.storage}`;
      const params = { node, vmid, disk, ...to, delete: true };
      return start("POST /nodes/{node}/qemu/{vmid}/move_disk", doing, params, signal);
    },

    startMachine: ({ node, vmid }, signal) => {
      const doing = `start machine ${vmid}`;
      return start("POST /nodes/{node}/qemu/{vmid}/status/start", doing, { node, vmid }, signal);
    },

    stopMachine: ({ node, vmid }, signal) => {
      const doing = `stop machine ${vmid}`;
      const params = { node, vmid, "overrule-shutdown": true };
      return start("POST /nodes/{node}/qemu/{vmid}/status/stop", doing, params, signal);
    },

    resetMachine: ({ node, vmid }, signal) => {
      const doing = `reset machine ${vmid}`;
      return start("POST /nodes/{node}/qemu/{vmid}/status/reset", doing, { node, vmid }, signal);
    },

    shutdownMachine: ({ node, vmid }, seconds, signal) => {
      const doing = `shut machine ${vmid} down`;
      const params = { node, vmid, timeout: seconds, forceStop: true };
      return start("POST /nodes/{node}/qemu/{vmid}/status/shutdown", doing, params, signal);
    },

    removeMachine: ({ node, vmid }, signal) => {
      const doing = `remove machine ${vmid}`;
      const params = { node, vmid, purge: true, "destroy-unreferenced-disks": true };
      return start("DELETE /nodes/{node}/qemu/{vmid}", doing, params, signal);
    },
  };
}

function stateOf(rows: Record<string, unknown>[]): MachineState {
  const now: MachineConfig = {};
  const next: MachineConfig = {};
  for (const { key, value, pending, delete: isLeftover } of rows) {
    const name = asText(key);
    if (value !== undefined) now[name] = asText(value);
    // 1 while a disk is only taken out, 2 when it is to be deleted as well.
    if (asNumber(isLeftover) > 0) continue;
    const later = pending ?? value;
    if (later !== undefined) next[name] = asText(later);
  }
  return { now, next };
}

function summary(fields: Record<string, unknown>): MachineSummary {
  const lock = asText(fields["lock"]);
  return {
    vmid: asNumber(fields["vmid"]),
    name: asText(fields["name"]),
    isRunning: fields["status"] === "running",
    isTemplate: asFlag(fields["template"]),
    tags: asList(fields["tags"]),
    cores: asNumber(fields["cpus"]),
    memoryMiB: asMiB(fields["maxmem"]),
    lock: lock || undefined,
  };
}

export interface TemplateCalls {
  /** There is no way back, and it can never be started again. */
  makeTemplate(machine: MachineRef, signal?: AbortSignal): Promise<Task>;
  /** The task belongs to the node of the source; the new machine appears where `target` says. */
  cloneMachine(source: MachineRef, clone: NewClone, signal?: AbortSignal): Promise<Task>;
}

export const templateCalls = (start: Call<Task>): TemplateCalls => ({
  makeTemplate: ({ node, vmid }, signal) => {
    const doing = `make machine ${vmid} a template`;
    return start("POST /nodes/{node}/qemu/{vmid}/template", doing, { node, vmid }, signal);
  },

  cloneMachine: ({ node, vmid }, clone, signal) => {
    const doing = `clone machine ${clone.newid} from ${vmid}`;
    return start("POST /nodes/{node}/qemu/{vmid}/clone", doing, { node, vmid, ...clone }, signal);
  },
});
