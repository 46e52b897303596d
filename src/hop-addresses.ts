import type { Sighting } from "./plan/index.ts";

/** Runs a program on the jump host nearest to the nodes; undefined where that cannot be. */
export type RunOnHop = (command: readonly string[]) => Promise<string | undefined>;

/** Where dnsmasq keeps its leases: on Debian and Proxmox, on Fedora, on OpenWrt. Then whom the host has talked to. */
const script = `cat /var/lib/misc/dnsmasq.leases /var/lib/dnsmasq/dnsmasq.leases /tmp/dhcp.leases 2>/dev/null
echo --
PATH=$PATH:/usr/sbin:/sbin ip -4 neigh show 2>/dev/null`;

/** Which addresses a card has, as the host before its network knows them: it often serves DHCP there. */
export async function lookBehindHop(run: RunOnHop, hop: string, mac: string): Promise<Sighting[]> {
  const text = await run(["sh", "-c", script]);
  return text === undefined ? [] : sightingsIn(text, hop, mac);
}

export function sightingsIn(text: string, hop: string, mac: string): Sighting[] {
  const [leases = "", neighbours = ""] = text.split(/^--$/m);
  const lines = (of: string): string[][] => of.split("\n").map((line) => line.trim().split(/\s+/));
  return [
    {
      by: `the leases of dnsmasq on ${hop}`,
      // When it ends, for which card, which address, which name.
      addresses: lines(leases).flatMap(([, card, address]) =>
        card?.toLowerCase() === mac && address !== undefined ? [address] : [],
      ),
    },
    {
      by: `the neighbour table of ${hop}`,
      addresses: lines(neighbours).flatMap(([address, ...words]) => {
        const card = words[words.indexOf("lladdr") + 1];
        const isGone = words.includes("FAILED") || !words.includes("lladdr");
        return card === mac && !isGone && address !== undefined ? [address] : [];
      }),
    },
  ];
}
