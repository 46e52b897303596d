import type { FoundAddresses } from "../plan/index.ts";

/** Runs a program on the jump host nearest to the nodes; undefined where that cannot be. */
export type RunOnJumpHost = (command: readonly string[]) => Promise<string | undefined>;

/** Where dnsmasq keeps its leases: on Debian and Proxmox, on Fedora, on OpenWrt. Then whom the host has talked to. */
const script = `cat /var/lib/misc/dnsmasq.leases /var/lib/dnsmasq/dnsmasq.leases /tmp/dhcp.leases 2>/dev/null
echo --
PATH=$PATH:/usr/sbin:/sbin ip -4 neigh show 2>/dev/null`;

/** Which addresses a NIC has, as the host before its network knows them: it often serves DHCP there. */
export async function readJumpHostAddresses(
  run: RunOnJumpHost,
  jumpHost: string,
  mac: string,
): Promise<FoundAddresses[]> {
  const text = await run(["sh", "-c", script]);
  return text === undefined ? [] : addressesIn(text, jumpHost, mac);
}

export function addressesIn(text: string, jumpHost: string, mac: string): FoundAddresses[] {
  const [leases = "", neighbours = ""] = text.split(/^--$/m);
  const lines = (of: string): string[][] => of.split("\n").map((line) => line.trim().split(/\s+/));
  return [
    {
      by: `the leases of dnsmasq on ${jumpHost}`,
      // When it ends, for which NIC, which address, which name.
      addresses: lines(leases).flatMap(([, nic, address]) =>
        nic?.toLowerCase() === mac && address !== undefined ? [address] : [],
      ),
    },
    {
      by: `the neighbour table of ${jumpHost}`,
      addresses: lines(neighbours).flatMap(([address, ...words]) => {
        const nic = words[words.indexOf("lladdr") + 1];
        const isGone = words.includes("FAILED") || !words.includes("lladdr");
        return nic === mac && !isGone && address !== undefined ? [address] : [];
      }),
    },
  ];
}
