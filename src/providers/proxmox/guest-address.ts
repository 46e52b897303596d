import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { GuestQuestion, Sighting } from "../../plan/index.ts";

/** Which addresses a machine has on its first card. Proxmox gives none away itself; only the guest's agent knows. */
export async function lookForAddress(
  client: ProxmoxClient,
  { node, mac }: GuestQuestion,
  signal?: AbortSignal,
): Promise<Sighting[]> {
  const named = (await client.guests(signal)).filter(({ kind, name }) => kind === "qemu" && name === node);
  const sightings = await Promise.all(
    named.map(async ({ node: on, vmid }): Promise<Sighting[]> => {
      const machine = { node: on, vmid };
      // Machines of other clusters may have the same name; none has the same card.
      const { net0 = "" } = await client.machineConfig(machine, signal);
      if (!net0.toLowerCase().includes(mac)) return [];
      const by = `the guest agent of machine ${vmid}`;
      const cards = await client.guestCards(machine, signal).catch((thrown: unknown) => {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      });
      return [{ by, addresses: cards.filter((card) => card.mac === mac).flatMap((card) => card.addresses) }];
    }),
  );
  return sightings.flat();
}
