import type { Consoles } from "../../plan/index.ts";
import { machineVanished } from "./errors.ts";
import { findMachine } from "./find-machine.ts";
import type { HostBook } from "./host-book.ts";
import { openMachineConsole } from "./machine-console.ts";
import { machineName } from "./names.ts";

/** Serial consoles over libvirt's own stream. */
export const libvirtConsoles = (book: HostBook): Consoles => ({
  async listen(ctx, machine, { heard, ended }) {
    const client = await book.client(machine.host);
    const found = await findMachine(ctx, client, machine, `read the console of ${machine.node}`);
    if (!found) throw machineVanished(machine);
    const console = await openMachineConsole(client, machine, { data: heard, end: ended }, false);
    return () => void console.close().catch(() => undefined);
  },

  async reset(ctx, machine) {
    const client = await book.client(machine.host);
    const found = await findMachine(ctx, client, machine, `reset ${machine.node}`);
    if (!found) throw machineVanished(machine);
    const domain = await client.findDomain(machineName(machine.cluster, machine.node), ctx.signal);
    await client.resetDomain(domain, ctx.signal);
  },
});
