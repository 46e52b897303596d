import type { Console, ConsoleEvents, LibvirtClient } from "../../clients/libvirt/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { consoleBusy } from "./errors.ts";
import { machineName } from "./names.ts";

/** libvirt gives a console to one at a time. */
export async function openMachineConsole(
  client: LibvirtClient,
  { cluster, node, host }: { cluster: string; node: string; host: string },
  on: ConsoleEvents,
  isForced: boolean,
): Promise<Console> {
  const domain = await client.findDomain(machineName(cluster, node));
  try {
    return await client.openConsole(domain, on, isForced);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && /active console session/i.test(thrown.why))
      throw consoleBusy({ cluster, node, host });
    throw thrown;
  }
}
