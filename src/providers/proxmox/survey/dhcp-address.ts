import type { ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { GuestQuestion, FoundAddresses } from "../../../plan/index.ts";

/** Which addresses a machine has on its first card. Proxmox gives none away itself; only the guest's agent knows. */
export async function findDhcpAddress(
  client: ProxmoxClient,
  { node, mac }: GuestQuestion,
  signal?: AbortSignal,
): Promise<FoundAddresses[]> {
  const named = (await client.guests(signal)).filter(({ kind, name }) => kind === "qemu" && name === node);
  const found = await Promise.all(
    named.map(async ({ node: on, vmid }): Promise<FoundAddresses[]> => {
      const machine = { node: on, vmid };
      // Machines of other clusters may have the same name; none has the same card.
      const { net0 = "" } = await client.machineConfig(machine, signal);
      if (!net0.toLowerCase().includes(mac)) return [];
      const by = `the guest agent of machine ${vmid}`;
      const nics = await client.guestNics(machine, signal).catch((thrown: unknown) => {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      });
      return [{ by, addresses: nics.filter((nic) => nic.mac === mac).flatMap((nic) => nic.addresses) }];
    }),
  );
  return found.flat();
}
