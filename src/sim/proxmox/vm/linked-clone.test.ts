import { expect, test } from "vitest";
import { defaultDatacenter } from "../../datacenter-file.ts";
import { noLatencies } from "../../latency.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

async function cloneOnce(storage: string): Promise<Bench> {
  const { storages, ...rest } = defaultDatacenter();
  const tank = { type: "zfspool" as const, size: 2 ** 40, content: ["images" as const], shared: false };
  const datacenter = { ...rest, storages: { ...storages, tank } };
  const dc = await bench({ latencies: noLatencies, datacenter });
  const qemu = "/nodes/hydra/qemu";
  expect(await dc.run("POST", qemu, { vmid: "9000", virtio0: `${storage}:5` })).toBe("OK");
  expect(await dc.run("POST", `${qemu}/9000/template`)).toBe("OK");
  expect(await dc.run("POST", `${qemu}/9000/clone`, { newid: "103" })).toBe("OK");
  return dc;
}

const diskOfClone = async (dc: Bench): Promise<unknown> => {
  const { data } = await dc.ask("GET", "/nodes/hydra/qemu/103/config");
  return (data as Record<string, unknown>)["virtio0"];
};

test("a linked clone on thin LVM has a name of its own and outlives its template", async () => {
  const dc = await cloneOnce("local-lvm");
  expect(await diskOfClone(dc)).toBe("local-lvm:vm-103-disk-0,size=5G");
  expect(await dc.run("DELETE", "/nodes/hydra/qemu/9000")).toBe("OK");
  expect(await diskOfClone(dc)).toBe("local-lvm:vm-103-disk-0,size=5G");
});

test("a linked clone on ZFS names its base, and the template stays while it does", async () => {
  const dc = await cloneOnce("tank");
  expect(await diskOfClone(dc)).toBe("tank:base-9000-disk-0/vm-103-disk-0,size=5G");
  expect(await dc.run("DELETE", "/nodes/hydra/qemu/9000")).toContain(
    "base volume 'tank:base-9000-disk-0' is still in use by linked cloned",
  );
});
