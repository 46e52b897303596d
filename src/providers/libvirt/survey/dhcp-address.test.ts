import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { openLibvirt, type LibvirtClient } from "../../../clients/libvirt/index.ts";
import { findDhcpAddress } from "./dhcp-address.ts";
import { peerFile, peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-lease";
const mac = "02:5a:1e:a5:e0:01";
const subnet = "10.213.57";

const network = `<network>
  <name>${prefix}</name><bridge name='sw-lease' stp='on' delay='0'/>
  <ip address='${subnet}.1' prefix='24'><dhcp><range start='${subnet}.100' end='${subnet}.150'/></dhcp></ip>
</network>`;

/** Without a disk it asks the network for a system, and so for an address. */
const machine = `<domain type='qemu'>
  <name>${prefix}-cp-1</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type><boot dev='network'/></os>
  <devices>
    <interface type='network'><mac address='${mac}'/><source network='${prefix}'/><model type='virtio'/></interface>
  </devices>
</domain>`;

/** What a machine without a system asks for an address with. */
const hasRom = ["/usr/lib/ipxe/qemu", "/usr/share/qemu", "/usr/share/ipxe/qemu"].some((folder) =>
  peerFile(`${folder}/pxe-virtio.rom`),
);
const without = `${withoutLibvirt}; and ipxe-qemu: apt-get install ipxe-qemu`;

describe.skipIf(libvirtSocket === undefined || !hasRom)(
  `addresses on a real daemon (${without})`,
  peers,
  () => {
    let client: LibvirtClient;
    beforeAll(async () => {
      client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
      await cleanUp();
    });
    afterAll(async () => {
      await cleanUp();
      client.close();
    });

    async function cleanUp(): Promise<void> {
      for (const domain of await client.domains()) {
        if (!domain.name.startsWith(prefix)) continue;
        await client.destroyDomain(domain).catch(() => undefined);
        await client.undefineDomain(domain);
      }
      for (const old of await client.networks()) {
        if (old.name !== prefix) continue;
        await client.destroyNetwork(old).catch(() => undefined);
        await client.undefineNetwork(old);
      }
    }

    test("a machine that asks for an address is found by its lease", async () => {
      const question = { cluster: prefix, node: "cp-1", mac };
      expect(await findDhcpAddress(client, question)).toEqual([]);
      await client.startNetwork(await client.defineNetwork(network));
      const domain = await client.startDomain(await client.defineDomain(machine));
      const asked = ["the guest agent of slipway-test-lease-cp-1", "the host's neighbour table"];
      expect((await findDhcpAddress(client, question)).map(({ by }) => by)).toEqual(asked);
      const leased = {
        by: `the leases of network "${prefix}"`,
        addresses: [expect.stringMatching(/^10\.213\.57\.1\d\d$/)],
      };
      await expect
        .poll(() => findDhcpAddress(client, question), { timeout: 40_000, interval: 500 })
        .toEqual([leased]);
      // The same again by way of the machine, which knows its cards.
      expect(await client.guestNics(domain, "leases")).toEqual([{ mac, addresses: leased.addresses }]);
    });
  },
);
