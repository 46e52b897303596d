import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import type { Cluster, Nic } from "../../../spec/index.ts";
import { compareNics } from "./nics.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";

const vmid = 2000;
const storage: Nic = {
  mac: "02:aa:bb:cc:dd:11",
  bridge: "vmbr1",
  vlan: 30,
  mtu: 9000,
  address: "10.30.0.11/24",
};
const asked: Nic = { mac: "02:aa:bb:cc:dd:12", bridge: "vmbr1", isDhcp: true };
const joined: Nic = {
  mac: "02:aa:bb:cc:dd:13",
  bridge: "vmbr0",
  address: "10.40.0.11/24",
  bond: { mode: "active-backup", with: [{ mac: "02:aa:bb:cc:dd:14", bridge: "vmbr1" }] },
};

function wantFor(
  site: ProxmoxSite,
  nics: Nic[],
  network: Partial<Cluster["network"]> = {},
): [unknown, MachineWant] {
  const node = siteNode("cp-1", nics.length > 0 ? { nics } : {});
  const cluster = siteCluster([node]);
  const [image, machine] = site.provider.describe(
    { ...cluster, network: { ...cluster.network, ...network } },
    [{ node, host: siteHost("one", "pve1"), id: vmid }],
    siteNeeds(),
  );
  return [image?.want, machine?.want as MachineWant];
}

const read = (site: ProxmoxSite, want: MachineWant) =>
  site.resource("proxmox/machine").read(site.ctx, want) as Promise<MachineHave>;

test("a machine gets every card with its bridge, VLAN, MTU and address, and then does not differ", async () => {
  await using site = await proxmoxSite();
  const [image, want] = wantFor(site, [storage, asked, joined], { mtu: 9000 });
  await site.resource("proxmox/image").create(site.ctx, image);
  const resource = site.resource("proxmox/machine");
  await resource.create(site.ctx, want);
  const config = await site.client.machineConfig({ node: "pve1", vmid });
  expect(Object.fromEntries(Object.entries(config).filter(([key]) => /^(net|ipconfig)/.test(key)))).toEqual({
    net0: "virtio=02:AA:BB:CC:DD:01,bridge=vmbr0,mtu=9000",
    ipconfig0: "ip=10.1.0.11/24,gw=10.1.0.1",
    net1: "virtio=02:AA:BB:CC:DD:11,bridge=vmbr1,mtu=9000,tag=30",
    ipconfig1: "ip=10.30.0.11/24",
    net2: "virtio=02:AA:BB:CC:DD:12,bridge=vmbr1",
    ipconfig2: "ip=dhcp",
    net3: "virtio=02:AA:BB:CC:DD:13,bridge=vmbr0",
    net4: "virtio=02:AA:BB:CC:DD:14,bridge=vmbr1",
  });
  expect(resource.compare(want, await read(site, want))).toEqual({ same: true });
});

test.each<[string, Nic[], Nic[], string]>([
  ["a card more", [], [storage], "hot"],
  ["a card less", [storage, asked], [storage], "reboot"],
  ["no further card", [storage, asked], [], "reboot"],
  ["another bridge", [storage], [{ ...storage, bridge: "vmbr0" }], "disturb"],
  ["another address", [storage], [{ ...storage, address: "10.30.0.12/24" }], "disturb"],
  ["no address", [asked], [{ mac: asked.mac, bridge: "vmbr1" }], "reboot"],
  ["another MTU", [storage], [{ ...storage, mtu: 1500 }], "reboot"],
  ["another MAC", [storage], [{ ...storage, mac: "02:aa:bb:cc:dd:99" }], "reboot"],
])("update() brings %s about, and then nothing differs", async (_what, before, after, consequence) => {
  await using site = await proxmoxSite();
  const [image, first] = wantFor(site, before);
  await site.resource("proxmox/image").create(site.ctx, image);
  const resource = site.resource("proxmox/machine");
  await resource.create(site.ctx, first);
  const [, want] = wantFor(site, after);
  const have = await read(site, want);
  expect(resource.compare(want, have)).toMatchObject({ same: false, action: "update", consequence });
  await resource.update(site.ctx, want, have);
  const changed = await read(site, want);
  expect(changed).toMatchObject({ isRunning: true });
  expect(resource.compare(want, changed)).toEqual({ same: true });
});

test("cards are told apart in words", () => {
  const found = [{ slot: 1, mac: "02:aa:bb:cc:dd:11", bridge: "vmbr1" }];
  const wanted = [
    { mac: "02:aa:bb:cc:dd:11", bridge: "vmbr1", vlan: 30 },
    { mac: "02:aa:bb:cc:dd:12", bridge: "vmbr2" },
  ];
  expect(compareNics(wanted, found)).toMatchObject([
    { field: "NIC 2", from: "vmbr1", to: "vmbr1, VLAN 30", consequence: "disturb" },
    { field: "NIC 3", from: "none", to: "vmbr2", consequence: "hot" },
  ]);
});
