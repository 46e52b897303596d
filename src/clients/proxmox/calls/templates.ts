import type { Call } from "../wire/call.ts";
import type { NewClone } from "../gen/params.ts";
import type { MachineRef } from "./machines.ts";
import type { Task } from "../task.ts";

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
