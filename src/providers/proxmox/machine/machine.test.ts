import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../../test/support/proxmox/site.ts";
import type { ProxmoxClient, Task } from "../../../clients/proxmox/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { GraphNode, Provider } from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost, Node } from "../../../spec/index.ts";
import { proxmoxProvider } from "../index.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";

const one = siteHost("one", "pve1");
const vmid = 2000;

/** The image and machine nodes of a cluster with one machine. */
function graphOf(
  provider: Provider,
  node: Node = siteNode("cp-1"),
  more: Partial<Cluster> = {},
  host: ProxmoxHost = one,
) {
  const [image, machine] = provider.describe(
    siteCluster([node], more),
    [{ node, host, id: vmid }],
    siteNeeds(),
  ) as [GraphNode, GraphNode<MachineWant>];
  return { image, machine };
}

async function withImage(site: ProxmoxSite): Promise<void> {
  const { image } = graphOf(site.provider);
  await site.resource("proxmox/image").create(site.ctx, image.want);
}

const read = (site: ProxmoxSite, want: unknown, provider?: Provider) =>
  site.resource("proxmox/machine", provider).read(site.ctx, want) as Promise<MachineHave | undefined>;

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s a machine is created with its mark, grown, started, and then does not differ",
  async (version) => {
    await using site = await proxmoxSite({ version });
    const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
    const { machine } = graphOf(site.provider, node, { tags: ["Prod"] });
    await withImage(site);
    const resource = site.resource("proxmox/machine");
    expect(await read(site, machine.want)).toBeUndefined();
    await resource.create(site.ctx, machine.want);
    const have = await read(site, machine.want);
    expect(have).toMatchObject({
      cluster: "lab",
      node: "cp-1",
      role: "control-plane",
      isRunning: true,
      diskGiB: 20,
      dataDisks: [{ slot: "scsi1", sizeGiB: 5 }],
      tags: ["prod", "slipway", "slipway-lab"],
      on: "pve1",
    });
    expect(resource.compare(machine.want, have)).toEqual({ same: true });
    const config = await site.client.machineConfig({ node: "pve1", vmid });
    expect(config).toMatchObject({
      name: "cp-1",
      cpu: "x86-64-v2-AES",
      scsihw: "virtio-scsi-pci",
      onboot: "1",
    });
    expect(config["ipconfig0"]).toBe("ip=10.1.0.11/24,gw=10.1.0.1");
  },
);

test("the reply to the creating call is lost: the next attempt finds the machine and finishes it", async () => {
  await using site = await proxmoxSite({
    latencies: { importMs: 3_000 },
    faults: [{ call: "proxmox POST /nodes/*/qemu", kind: "lost-reply" }],
  });
  const { machine } = graphOf(site.provider);
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  await expect(resource.create(site.ctx, machine.want)).rejects.toMatchObject({
    code: "PVE_UNREACHABLE",
    transient: true,
  });
  expect(await resource.create(site.ctx, machine.want)).toMatchObject({ isRunning: true, diskGiB: 20 });
  expect(await site.client.machines("pve1")).toHaveLength(1);
});

test("a run that was cut while Proxmox imported is finished by the next, which only sees the lock", async () => {
  await using site = await proxmoxSite({ latencies: { importMs: 40_000 } });
  const { machine } = graphOf(site.provider);
  await withImage(site);
  const cut = new AbortController();
  const first = site.resource("proxmox/machine").create(site.contextFor(cut.signal), machine.want);
  while ((await site.client.machines("pve1")).length === 0) await site.clock.sleep(100);
  cut.abort(new Error("killed"));
  await first.catch(() => undefined);
  const next = site.freshProvider();
  expect(await read(site, machine.want, next)).toBeUndefined();
  const have = await site.resource("proxmox/machine", next).create(site.ctx, machine.want);
  expect(have).toMatchObject({ isRunning: true, diskGiB: 20 });
});

test("a machine that was created but neither grown nor started is updated to the end", async () => {
  await using site = await proxmoxSite({ faults: [{ call: "proxmox PUT /nodes/*/resize", kind: "error" }] });
  const { machine } = graphOf(site.provider);
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  await expect(resource.create(site.ctx, machine.want)).rejects.toMatchObject({
    what: expect.stringContaining("grow scsi0") as string,
  });
  const have = await read(site, machine.want);
  expect(have).toMatchObject({ isRunning: false, diskGiB: 1.25 });
  expect(resource.compare(machine.want, have)).toMatchObject({ same: false, action: "update" });
  expect(await resource.update(site.ctx, machine.want, have)).toMatchObject({ isRunning: true, diskGiB: 20 });
});

test("a machine of somebody else under the same VMID is never touched", async () => {
  await using site = await proxmoxSite({
    datacenter: `vms: { "2000": { node: pve1, config: { name: precious, memory: 512 }, isRunning: true } }`,
  });
  const { machine } = graphOf(site.provider);
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  const before = site.faults.seen.length;
  const refused = { code: "PVE_FOREIGN_MACHINE", why: expect.stringContaining("precious") as string };
  await expect(resource.read(site.ctx, machine.want)).rejects.toMatchObject(refused);
  await expect(resource.create(site.ctx, machine.want)).rejects.toMatchObject(refused);
  const have = { ...machine.want, on: "pve1", isRunning: true };
  await expect(resource.remove(site.ctx, have)).rejects.toMatchObject(refused);
  const changing = site.faults.seen.slice(before).filter((call) => !call.includes(" GET "));
  expect(changing).toEqual(["proxmox POST /nodes/{node}/qemu"]);
});

test("a machine that was moved to another node by hand is accepted there", async () => {
  await using site = await proxmoxSite();
  const { machine } = graphOf(site.provider);
  await withImage(site);
  await site.resource("proxmox/machine").create(site.ctx, machine.want);
  const host = siteHost("one", "pve2");
  const moved = site.freshProvider([host]);
  const elsewhere = graphOf(moved, siteNode("cp-1"), {}, host);
  const have = await read(site, elsewhere.machine.want, moved);
  expect(have).toMatchObject({ on: "pve1" });
  expect(site.resource("proxmox/machine").compare(elsewhere.machine.want, have)).toEqual({ same: true });
});

test("update() makes a data disk anew that is to be smaller", async () => {
  await using site = await proxmoxSite();
  const before = graphOf(site.provider, siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] })).machine;
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  await resource.create(site.ctx, before.want);
  const { want } = graphOf(site.provider, siteNode("cp-1", { dataDisks: [{ sizeGiB: 2 }] })).machine;
  await resource.update(site.ctx, want, await read(site, want));
  const have = await read(site, want);
  expect(have).toMatchObject({ dataDisks: [{ slot: "scsi1", sizeGiB: 2 }], isRunning: true });
  expect(resource.compare(want, have)).toEqual({ same: true });
});

test("update() changes bridge, VLAN, DNS and tags without a restart", async () => {
  await using site = await proxmoxSite();
  const before = graphOf(site.provider).machine;
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  await resource.create(site.ctx, before.want);
  const { network } = siteCluster([]);
  const more = { tags: ["new"], network: { ...network, bridge: "vmbr1", vlan: 7, dns: ["9.9.9.9"] } };
  const { want } = graphOf(site.provider, siteNode("cp-1"), more).machine;
  const seen = site.faults.seen.length;
  await resource.update(site.ctx, want, await read(site, want));
  expect(resource.compare(want, await read(site, want))).toEqual({ same: true });
  expect(site.faults.seen.slice(seen).some((call) => call.includes("/status/sh"))).toBe(false);
});

test("remove() never waits for a guest to shut down", async () => {
  await using site = await proxmoxSite();
  const { machine } = graphOf(site.provider);
  await withImage(site);
  const resource = site.resource("proxmox/machine");
  await resource.remove(site.ctx, await resource.create(site.ctx, machine.want));
  expect(await read(site, machine.want)).toBeUndefined();
  expect(site.faults.seen.some((call) => call.includes("/status/shutdown"))).toBe(false);
});

test("rights on a pool are enough", async () => {
  const host = siteHost("one", "pve1", { pool: "kube" });
  await using site = await proxmoxSite({ token: "poor@pve!main", hosts: [host], ...poolRights });
  site.proxmox.state().pools["kube"] = { vms: [], storages: [] };
  const { image, machine } = graphOf(site.provider, siteNode("cp-1"), {}, host);
  await site.resource("proxmox/image").create(site.ctx, image.want);
  const have = await site.resource("proxmox/machine").create(site.ctx, machine.want);
  expect(have).toMatchObject({ isRunning: true, tags: ["slipway", "slipway-lab"] });
});

test("where tags are refused at creation, as Proxmox 9.2 does in a pool, they follow afterwards", async () => {
  await using site = await proxmoxSite();
  const { client } = site;
  const why = "the token lacks VM.Config.Options on /vms/2000";
  const error = new SlipwayError({ code: "PVE_FORBIDDEN", what: "Cannot create", why, next: "-" });
  const refused: Task = {
    upid: "",
    node: "pve1",
    look: async () => ({ isRunning: false, error }),
    wait: () => Promise.reject(error),
  };
  const picky: ProxmoxClient = {
    ...client,
    createMachine: async (node, machine, signal) =>
      machine.tags === undefined ? client.createMachine(node, machine, signal) : refused,
  };
  const provider = proxmoxProvider({ connect: async () => picky }).open([one]);
  const { machine } = graphOf(provider);
  await withImage(site);
  const have = await site.resource("proxmox/machine", provider).create(site.ctx, machine.want);
  expect(have).toMatchObject({ isRunning: true, tags: ["slipway", "slipway-lab"] });
});

const poolRights = {
  datacenter: `
roles:
  Machines: [VM.Allocate, VM.Audit, VM.PowerMgmt, VM.Config.CPU, VM.Config.Disk, VM.Config.HWType, VM.Config.Memory, VM.Config.Network, VM.Config.Options, Pool.Audit]
  Images: [Datastore.AllocateTemplate, Datastore.AllocateSpace]
  Node: [Sys.Audit, Sys.AccessNetwork]`,
  acl: `  - { path: /pool/kube, role: Machines, user: "poor@pve" }
  - { path: /storage, role: Images, user: "poor@pve" }
  - { path: /nodes, role: Node, user: "poor@pve" }
  - { path: /sdn/zones/localnetwork, role: PVESDNUser, user: "poor@pve" }`,
};
