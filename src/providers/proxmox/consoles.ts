import type { MachineRef } from "../../clients/proxmox/index.ts";
import type { Consoles, MachinePlace, ReadContext } from "../../plan/index.ts";
import { foreignMachine, hiddenMachine } from "./errors.ts";
import { findMachine } from "./find-machine.ts";
import { finishTask } from "./finish-task.ts";
import type { HostBook } from "./host-book.ts";

const resetWait = { deadlineMs: 60_000, usualMs: 500 };

/** Serial consoles over the terminal proxy of Proxmox, with the rights VM.Console and VM.PowerMgmt. */
export const proxmoxConsoles = (book: HostBook): Consoles => ({
  async listen(ctx, machine, { heard, ended }) {
    const ref = await findOurs(ctx, book, machine, `read the console of ${machine.node}`);
    const client = await book.client(machine.host);
    return client.readConsole(ref, { data: heard, end: ended }, ctx.signal);
  },

  async reset(ctx, machine) {
    const ref = await findOurs(ctx, book, machine, `reset ${machine.node}`);
    const task = await (await book.client(machine.host)).resetMachine(ref, ctx.signal);
    await finishTask(ctx, task, { what: `${ref.node} to reset machine ${ref.vmid}`, ...resetWait });
  },
});

/** Wherever in its Proxmox cluster it is by now. */
async function findOurs(
  ctx: ReadContext,
  book: HostBook,
  machine: MachinePlace,
  doing: string,
): Promise<MachineRef> {
  const { vmid } = machine;
  const found = await findMachine(ctx, book, machine);
  if (found.state === "ours") return { node: found.have.on, vmid };
  if (found.state === "foreign") throw foreignMachine({ doing, vmid, node: found.on, owner: found.owner });
  throw hiddenMachine({ doing, vmid });
}
