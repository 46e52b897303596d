import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import type { Consequence } from "../../../plan/index.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";
import { sampled } from "../../../../test/support/whole-sweep.ts";

const machine = { node: "pve1", vmid: 2000 };
const options = {
  storages: `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  slow: { type: dir, size: 500GiB, content: [images] }`,
  datacenter: `sdn:
  zones: { lab: { type: vlan, bridge: vmbr0 } }
  vnets: { vnet1: { zone: lab, isVlanAware: true } }`,
};

/** The image is there; what comes back is the machine that the file describes when it says little. */
async function prepare(site: ProxmoxSite): Promise<MachineWant> {
  const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
  const placed = [{ node, host: siteHost("one", "pve1"), id: machine.vmid }];
  const [image, described] = site.provider.describe(siteCluster([node]), placed, siteNeeds());
  await site.resource("proxmox/image").create(site.ctx, image?.want);
  return described?.want as MachineWant;
}

const bench = (site: ProxmoxSite) => {
  const resource = site.resource("proxmox/machine");
  const read = (want: MachineWant) => resource.read(site.ctx, want) as Promise<MachineHave>;
  return {
    make: (want: MachineWant) => resource.create(site.ctx, want),
    compare: async (want: MachineWant) => resource.compare(want, await read(want)),
    update: async (want: MachineWant) => resource.update(site.ctx, want, await read(want)),
    restarts: () => site.faults.seen.filter((call) => call.endsWith("/status/shutdown")).length,
  };
};

const nic = { mac: "02:aa:bb:cc:dd:11", bridge: "vmbr1" };

/** A part of the file, what the plan says of it, and what it takes. */
const fields: [Partial<MachineWant>, string, Consequence][] = [
  [{ cores: 4 }, "cores 2 → 4", "reboot"],
  [{ memoryMiB: 3072 }, "memory 2 GiB → 3 GiB", "reboot"],
  [{ storage: "slow" }, "storage of disk fast → slow", "hot"],
  [{ seedStorage: "slow" }, "storage of seed fast → slow", "reboot"],
  [{ dataDisks: [{ sizeGiB: 5, storage: "slow" }] }, "storage of data disk fast → slow", "hot"],
  [
    {
      dataDisks: [
        { sizeGiB: 5, storage: "fast" },
        { sizeGiB: 7, storage: "slow" },
      ],
    },
    "data disk 2 none → 7 GiB",
    "hot",
  ],
  [{ dataDisks: [] }, "data disk 5 GiB → none", "data"],
  [
    { dataDisks: [{ sizeGiB: 5, storage: "fast", for: "longhorn" }] },
    "notes older → as the file says",
    "hot",
  ],
  [{ hardware: { cpu: "host" } }, "cpu x86-64-v2-AES → host", "reboot"],
  [{ hardware: { machine: "q35" } }, "board i440fx → q35", "reboot"],
  [{ hardware: { numa: true } }, "numa off → on", "reboot"],
  [{ hardware: { rng: false } }, "random numbers /dev/urandom → none", "reboot"],
  [{ hardware: { tpm: true } }, "tpm none → fast", "reboot"],
  [
    { hardware: { ioThreads: true } },
    "controller virtio-scsi-pci → virtio-scsi-single; options of disk discard, ssd → discard, I/O thread, ssd; options of data disk discard, ssd → discard, I/O thread, ssd",
    "reboot",
  ],
  [{ hardware: { start: { onBoot: false } } }, "starts with host on → off", "hot"],
  [{ hasAgent: true }, "guest agent off → on", "reboot"],
  [{ bridge: "vmbr1" }, "bridge vmbr0 → vmbr1", "disturb"],
  [{ vlan: 7 }, "vlan none → 7", "disturb"],
  [{ trunks: [20, 10] }, "trunks none → 10, 20", "disturb"],
  [{ isFirewalled: true }, "firewall off → on", "disturb"],
  [{ mac: "02:AA:bb:cc:dd:99" }, "mac 02:aa:bb:cc:dd:01 → 02:aa:bb:cc:dd:99", "reboot"],
  [{ mtu: 9000 }, "mtu default → 9000", "reboot"],
  [
    { address: "10.1.0.12", gateway: "10.1.0.2" },
    "address 10.1.0.11/24 through 10.1.0.1 → 10.1.0.12/24 through 10.1.0.2",
    "reboot",
  ],
  [{ isDhcp: true }, "address 10.1.0.11/24 through 10.1.0.1 → dhcp", "reboot"],
  [{ dns: ["9.9.9.9"] }, "dns 10.1.0.1, 1.1.1.1 → 9.9.9.9", "hot"],
  [{ dns: [] }, "dns 10.1.0.1, 1.1.1.1 → none", "hot"],
  [
    { nics: [{ ...nic, vlan: 30, trunks: [31, 32], isFirewalled: true, mtu: 9000 }] },
    "NIC 2 none → vmbr1, VLAN 30, trunks 31, 32, firewall, MTU 9000",
    "hot",
  ],
  [
    { tags: ["prod", "slipway", "slipway-lab"] },
    "tags slipway, slipway-lab → prod, slipway, slipway-lab",
    "hot",
  ],
  [{ isProtected: true }, "protection off → on; notes older → as the file says", "hot"],
  // What cannot go back stands last: disks grow only, and an order that is not asked for is nobody's business.
  [
    { hardware: { start: { onBoot: true, order: 10, delay: 30 } } },
    "start order none → 10, then 30 s",
    "hot",
  ],
  [{ diskGiB: 30 }, "disk 20 GiB → 30 GiB", "hot"],
  [{ diskGiB: 30, dataDisks: [{ sizeGiB: 9, storage: "fast" }] }, "data disk 5 GiB → 9 GiB", "hot"],
];

const isOneWay = ([changed]: (typeof fields)[number]): boolean =>
  changed.diskGiB !== undefined || changed.hardware?.start?.order !== undefined;

test.each(sampled(["9.2", "8.4"] as const, 2))(
  "on Proxmox %s every field is told with what it takes, changed, and then no longer told",
  { timeout: 600_000 },
  async (version) => {
    await using site = await proxmoxSite({ ...options, version });
    const base = await prepare(site);
    const { make, compare, update, restarts } = bench(site);
    await make(base);
    expect(await compare(base)).toEqual({ same: true });
    for (const row of fields) {
      const [changed, told, consequence] = row;
      const want = { ...base, ...changed };
      const difference = await compare(want);
      if (difference.same) throw new Error(`nothing is told of ${told}`);
      expect(difference.fields.map(({ field, from, to }) => `${field} ${from} → ${to}`).join("; ")).toBe(
        told,
      );
      expect([told, difference.action, difference.consequence]).toEqual([told, "update", consequence]);
      const before = restarts();
      await update(want);
      expect([told, restarts() - before]).toEqual([told, ["hot", "disturb"].includes(consequence) ? 0 : 1]);
      expect([told, await compare(want)]).toEqual([told, { same: true }]);
      if (isOneWay(row)) continue;
      await update(base);
      expect([told, await compare(base)]).toEqual([told, { same: true }]);
    }
    const state = await site.client.machineState(machine);
    expect(state.next).toEqual(state.now);
  },
);

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s a machine with every field set is created so, and then does not differ",
  async (version) => {
    await using site = await proxmoxSite({ ...options, version });
    const want: MachineWant = {
      ...(await prepare(site)),
      storage: "slow",
      seedStorage: "fast",
      dataDisks: [
        { sizeGiB: 5, storage: "fast" },
        { sizeGiB: 7, storage: "slow", for: "longhorn", isDisposable: true },
      ],
      hardware: {
        cpu: "host",
        firmware: "uefi",
        machine: "q35",
        numa: true,
        tpm: true,
        rng: true,
        ioThreads: true,
        start: { onBoot: false, order: 10, delay: 30 },
      },
      bridge: "vnet1",
      vlan: 7,
      trunks: [10, 20],
      isFirewalled: true,
      mtu: 9000,
      nics: [nic],
      hasAgent: true,
      isProtected: true,
    };
    const { make, compare } = bench(site);
    await make(want);
    expect(await compare(want)).toEqual({ same: true });
    expect(await site.client.machineConfig(machine)).toMatchObject({
      bios: "ovmf",
      machine: "q35",
      cpu: "host",
      numa: "1",
      balloon: "0",
      rng0: "source=/dev/urandom",
      scsihw: "virtio-scsi-single",
      startup: "order=10,up=30",
      onboot: "0",
      protection: "1",
      agent: "enabled=1",
      serial0: "socket",
      efidisk0: expect.stringMatching(/^slow:.*pre-enrolled-keys=0/) as string,
      tpmstate0: expect.stringMatching(/^slow:.*version=v2.0/) as string,
      scsi30: expect.stringMatching(/^fast:.*cloudinit/) as string,
      scsi0: expect.stringMatching(/^slow:.*discard=on,iothread=1,size=20G,ssd=1$/) as string,
      scsi1: expect.stringMatching(/^fast:.*discard=on,iothread=1,size=5G,ssd=1$/) as string,
      scsi2: expect.stringMatching(/^slow:.*discard=on,iothread=1,size=7G,ssd=1$/) as string,
      net0: "virtio=02:AA:BB:CC:DD:01,bridge=vnet1,firewall=1,mtu=9000,tag=7,trunks=10;20",
      net1: "virtio=02:AA:BB:CC:DD:11,bridge=vmbr1",
    });
  },
);

test.each<[string, Partial<MachineWant>]>([
  ["firmware bios → uefi", { hardware: { firmware: "uefi" } }],
  ["architecture amd64 → arm64", { architecture: "arm64" }],
  ["disk 20 GiB → 10 GiB", { diskGiB: 10 }],
])("what the disk was made for cannot change in place: %s", async (told, changed) => {
  await using site = await proxmoxSite(options);
  const base = await prepare(site);
  const { make, compare } = bench(site);
  await make(base);
  const difference = await compare({ ...base, ...changed });
  expect(difference).toMatchObject({
    same: false,
    action: "replace",
    consequence: "data",
    loses: expect.stringContaining("the system disk of cp-1") as string,
  });
  const fieldsTold = difference.same ? [] : difference.fields;
  expect(fieldsTold.map(({ field, from, to }) => `${field} ${from} → ${to}`)).toContain(told);
});
