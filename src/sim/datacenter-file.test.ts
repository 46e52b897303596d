import { expect, test } from "vitest";
import { defaultDatacenter, parseDatacenter } from "./datacenter-file.ts";
import { realisticLatencies } from "./latency.ts";

const small = `
version: "8.4"
latencies: { apiCallMs: 1 }
nodes:
  alpha: { cores: 4, memory: 16GiB, bridges: [vmbr0, vmbr1] }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
tokens:
  "op@pve!ci": { secret: s }
faults:
  - { call: "proxmox POST /nodes/*/qemu", kind: lost-reply, after: 1 }
`;

test("parseDatacenter() fills in what the file leaves out", () => {
  const file = parseDatacenter(small, "dc.yaml");
  expect(file.version).toBe("8.4");
  expect(file.latencies).toEqual({ ...realisticLatencies, apiCallMs: 1 });
  expect(file.nodes["alpha"]).toMatchObject({
    memory: 16 * 2 ** 30,
    bridges: { vmbr1: { ports: ["eno1"] } },
  });
  expect(file.tokens["op@pve!ci"]).toEqual({ secret: "s", privsep: true });
  expect(file.faults).toEqual([{ call: "proxmox POST /nodes/*/qemu", kind: "lost-reply", after: 1 }]);
});

test("parseDatacenter() says where a size lacks its unit", () => {
  const wrong = small.replace("16GiB", '"16"');
  expect(() => parseDatacenter(wrong, "dc.yaml")).toThrow(
    expect.objectContaining({
      code: "SIM_DATACENTER_FILE",
      why: '"nodes.alpha.memory" is not a size; write a number and a unit, e.g. "64GiB"',
      at: expect.objectContaining({ line: 5, column: 30 }),
    }),
  );
});

test("parseDatacenter() points at text that is no YAML", () => {
  expect(() => parseDatacenter("nodes: [", "dc.yaml")).toThrow(
    expect.objectContaining({ code: "SIM_DATACENTER_FILE", at: expect.objectContaining({ line: 1 }) }),
  );
});

test("the default datacenter has three nodes and an account with every right", () => {
  const file = defaultDatacenter();
  expect(Object.keys(file.nodes)).toEqual(["hydra", "lyra", "orion"]);
  expect(Object.keys(file.storages)).toEqual(["local", "local-lvm"]);
  expect(file.acl).toEqual([{ path: "/", role: "Administrator", user: "slipway@pve", propagate: true }]);
});

test("names of the site lead to addresses, and to nothing else", () => {
  const file = (address: string) => `nodes: { a: { cores: 4, memory: 8GiB } }
storages: {}
names: { rancher.lan: ${address} }
`;
  expect(parseDatacenter(file("10.0.0.5"), "dc.yaml").names).toEqual({ "rancher.lan": "10.0.0.5" });
  expect(() => parseDatacenter(file("next-door"), "dc.yaml")).toThrow(
    expect.objectContaining({ code: "SIM_DATACENTER_FILE", at: expect.objectContaining({ line: 3 }) }),
  );
});
