import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { ConsoleListener, Consoles, MachinePlace, OpenConsole } from "../../plan/index.ts";
import { consoleBusy, machineVanished } from "./errors.ts";
import { findMachine, isDomainOf } from "./machine/find-machine.ts";
import type { HostRegistry } from "./host-registry.ts";

/** Serial consoles over libvirt's own stream. */
export const libvirtConsoles = (registry: HostRegistry): Consoles => ({
  async listen(ctx, machine, { heard, ended }) {
    const client = await registry.client(machine.host);
    const found = await findMachine(ctx, client, machine, `read the console of ${machine.node}`);
    if (!found) throw machineVanished(machine);
    const console = await openConsole(client, machine, { heard, ended }, false);
    return () => void console.close().catch(() => undefined);
  },

  async reset(ctx, machine) {
    const client = await registry.client(machine.host);
    const found = await findMachine(ctx, client, machine, `reset ${machine.node}`);
    if (!found) throw machineVanished(machine);
    await client.resetDomain(found.domain, ctx.signal);
  },

  open: async (machine, listener, isForced) =>
    openConsole(await registry.client(machine.host), machine, listener, isForced),
});

/** libvirt gives a console to one at a time. */
async function openConsole(
  client: LibvirtClient,
  { cluster, node, host }: MachinePlace,
  { heard, ended }: ConsoleListener,
  isForced: boolean,
): Promise<OpenConsole> {
  const domain = (await client.domains()).find((each) => isDomainOf(each, { cluster, node }));
  if (!domain) throw machineVanished({ node, host });
  try {
    return await client.openConsole(domain, { data: heard, end: ended }, isForced);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && /active console session/i.test(thrown.why))
      throw consoleBusy({ cluster, node, host });
    throw thrown;
  }
}
