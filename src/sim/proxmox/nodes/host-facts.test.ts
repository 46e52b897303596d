import { expect, test } from "vitest";
import { defaultDatacenter, parseDatacenter, type DatacenterFile } from "../../datacenter-file.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

const file = `
nodes:
  hydra: { cores: 8, memory: 32GiB, bridges: { vmbr0: { isVlanAware: true }, vmbr1: {} } }
  lyra:
    cores: 4
    memory: 8GiB
    cpu: { model: Intel(R) Core(TM)2 Duo CPU E8400, flags: [fpu, sse2, ssse3, sse4_1] }
    clockSkewSeconds: -95
    hasInternet: false
  orion: { cores: 8, memory: 32GiB }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
sdn:
  zones:
    lab: { type: vlan, bridge: vmbr0, nodes: [hydra] }
  vnets:
    servers: { zone: lab, tag: 14, alias: where the servers are }
`;

const datacenter = (): DatacenterFile => {
  const { users, acl, tokens } = defaultDatacenter();
  return { ...parseDatacenter(file, "dc.yaml"), users, acl, tokens };
};

const rows = async (box: Bench, path: string, params?: Record<string, string>) =>
  (await box.ask("GET", path, params)).data as Record<string, unknown>[];

const create = (box: Bench, node: string, vmid: number, net0: string) =>
  box.run("POST", `/nodes/${node}/qemu`, { vmid: String(vmid), name: `vm-${vmid}`, net0 });
const start = (box: Bench, node: string, vmid: number) =>
  box.run("POST", `/nodes/${node}/qemu/${vmid}/status/start`);

test("a host tells its processor, and an old one has neither the flags nor the virtualization", async () => {
  const box = await bench({ datacenter: datacenter() });
  const cpuOf = async (node: string) => {
    const { data } = await box.ask("GET", `/nodes/${node}/status`);
    return (data as { cpuinfo: Record<string, string> }).cpuinfo;
  };
  expect(await cpuOf("hydra")).toMatchObject({
    hvm: "1",
    flags: expect.stringMatching(/ sse4_2 .* aes .* avx2 /) as unknown,
  });
  expect(await cpuOf("lyra")).toMatchObject({
    model: "Intel(R) Core(TM)2 Duo CPU E8400",
    hvm: "0",
    flags: "fpu sse2 ssse3 sse4_1",
  });
});

test("the clock of a host can be wrong", async () => {
  const box = await bench({ datacenter: datacenter() });
  const timeOf = async (node: string) =>
    ((await box.ask("GET", `/nodes/${node}/time`)).data as { time: number }).time;
  const [right, wrong] = [await timeOf("hydra"), await timeOf("lyra")];
  expect(right - wrong).toBeGreaterThan(90);
  expect(right - wrong).toBeLessThanOrEqual(95);
});

test("a host without a way out can neither look at an image nor fetch it", async () => {
  const box = await bench({ datacenter: datacenter() });
  const url = "https://factory.example/talos.iso";
  expect((await box.ask("GET", "/nodes/hydra/query-url-metadata", { url })).status).toBe(200);
  expect((await box.ask("GET", "/nodes/lyra/query-url-metadata", { url })).message).toContain(
    "Can't connect to factory.example (Name or service not known)",
  );
  const image = { content: "iso", filename: "talos.iso", url };
  expect(await box.run("POST", "/nodes/lyra/storage/local/download-url", image)).toContain(
    "unable to resolve host address 'factory.example'",
  );
});

test("zones and vnets are listed, and a vnet is a bridge on the nodes of its zone", async () => {
  const box = await bench({ datacenter: datacenter() });
  expect(await rows(box, "/cluster/sdn/zones")).toMatchObject([
    { zone: "lab", type: "vlan", bridge: "vmbr0", nodes: "hydra" },
  ]);
  expect(await rows(box, "/cluster/sdn/vnets")).toMatchObject([
    { vnet: "servers", type: "vnet", zone: "lab", tag: 14, alias: "where the servers are" },
  ]);
  const any = { type: "any_bridge" };
  expect(await rows(box, "/nodes/hydra/network", any)).toMatchObject([
    { iface: "vmbr0", type: "bridge", bridge_vlan_aware: 1, bridge_ports: "eno1" },
    { iface: "vmbr1", type: "bridge" },
    { iface: "servers", type: "vnet", active: 1 },
  ]);
  expect((await rows(box, "/nodes/hydra/network", any))[1]).not.toHaveProperty("bridge_vlan_aware");
  expect((await rows(box, "/nodes/hydra/network")).map(({ iface }) => iface)).toEqual(["vmbr0", "vmbr1"]);
  expect((await rows(box, "/nodes/lyra/network", any)).map(({ iface }) => iface)).toEqual(["vmbr0"]);
  await create(box, "hydra", 100, "virtio,bridge=servers");
  expect(await start(box, "hydra", 100)).toBe("OK");
  await create(box, "lyra", 101, "virtio,bridge=servers");
  expect(await start(box, "lyra", 101)).toBe("bridge 'servers' does not exist");
});

test("only a VLAN-aware bridge takes trunks", async () => {
  const box = await bench({ datacenter: datacenter() });
  await create(box, "hydra", 100, "virtio,bridge=vmbr0,trunks=10;20");
  expect(await start(box, "hydra", 100)).toBe("OK");
  await create(box, "hydra", 101, "virtio,bridge=vmbr1,trunks=10;20");
  expect(await start(box, "hydra", 101)).toBe("start failed: QEMU exited with code 1");
});
