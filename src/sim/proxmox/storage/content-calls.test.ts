import { expect, test } from "vitest";
import { bench } from "../../../../test/support/sim-proxmox-bench.ts";

const content = "/nodes/hydra/storage/local/content";

test.each([
  ["vm-100-disk-7.raw", { data: "local:100/vm-100-disk-7.raw" }],
  ["", { data: "local:100/vm-100-disk-0.raw" }],
  ["notes.raw", { message: "unable to parse volume filename 'notes.raw'\n" }],
  ["vm-100-disk-1", { message: "unable to parse volume filename 'vm-100-disk-1'\n" }],
])("a new disk image called %j", async (filename, answer) => {
  const box = await bench();
  expect(await box.ask("POST", content, { filename, vmid: "100", size: "1M" })).toMatchObject(answer);
});

test("what is asked of a volume that is not there, or holds nothing", async () => {
  const box = await bench();
  expect(await box.ask("GET", `${content}/local:iso/none.iso`)).toMatchObject({
    status: 500,
    message: "volume_size_info on 'local:iso/none.iso' failed - no format\n",
  });
  await box.ask("POST", content, { filename: "vm-100-disk-0.raw", vmid: "100", size: "0" });
  expect(await box.ask("GET", `${content}/local:100/vm-100-disk-0.raw`)).toMatchObject({
    message: "volume 'local:100/vm-100-disk-0.raw' has size zero\n",
  });
});

test("notes and protection are for backups alone", async () => {
  const box = await bench();
  await box.ask("POST", content, { filename: "vm-100-disk-0.raw", vmid: "100", size: "1M" });
  const change = async (params: Record<string, string>) =>
    (await box.ask("PUT", `${content}/local:100/vm-100-disk-0.raw`, params)).message;
  expect(await change({ notes: "mine" })).toBe("only backups can have notes\n");
  expect(await change({ protected: "1" })).toBe("only backups support attribute 'protected'\n");
});

test("a storage that is defined is tried out only where it is meant to be, and a volume group only when used", async () => {
  const box = await bench();
  const dir = { type: "dir", path: "/srv/there", "create-base-path": "0" };
  const define = async (storage: string, more: Record<string, string>) =>
    (await box.ask("POST", "/storage", { storage, ...more })).status;
  expect(await define("here", dir)).toBe(500);
  expect(await define("off", { ...dir, disable: "1" })).toBe(200);
  expect(await define("away", { ...dir, nodes: "lyra" })).toBe(200);
  expect(await define("group", { type: "lvm", vgname: "none" })).toBe(200);
  expect((await box.ask("GET", "/nodes/hydra/storage/group/status")).data).toMatchObject({
    active: 0,
    enabled: 1,
    content: "images",
  });
});

test("a list of storages for what none of them holds is empty, and tells no formats of those that are off", async () => {
  const box = await bench();
  for (const { storage } of (await box.ask("GET", "/storage")).data as { storage: string }[]) {
    await box.ask("PUT", `/storage/${storage}`, { disable: "1" });
  }
  const list = (params: Record<string, string>) => box.ask("GET", "/nodes/hydra/storage", params);
  expect(await list({ content: "iso" })).toMatchObject({ status: 200, data: [] });
  const [first] = (await list({ format: "1" })).data as object[];
  expect(first).not.toHaveProperty("format");
});

test("a pool is empty when what it holds is gone, and holds the pools below it", async () => {
  const box = await bench();
  await box.ask("POST", "/pools", { poolid: "lab" });
  await box.ask("POST", "/pools", { poolid: "lab/sub" });
  const change = async (params: Record<string, string>) =>
    (await box.ask("PUT", "/pools", { poolid: "lab", ...params })).message;
  expect(await change({ vms: "999", storage: "local" })).toBeUndefined();
  expect(await change({ storage: "local" })).toBe(
    "update pools failed: Storage 'local' is already a pool member\n",
  );
  const { data } = await box.ask("GET", "/pools/lab", { type: "storage" });
  expect(data).toMatchObject({ members: [{ id: "storage/hydra/local", plugintype: "dir", shared: 0 }] });
  const remove = async () => (await box.ask("DELETE", "/pools", { poolid: "lab" })).message;
  expect(await remove()).toBe("delete pool failed: pool 'lab' is not empty (contains pool 'lab/sub')\n");
  await box.ask("DELETE", "/pools", { poolid: "lab/sub" });
  expect(await remove()).toBe("delete pool failed: pool 'lab' is not empty (contains storage 'local')\n");
  expect(await change({ storage: "local", delete: "1" })).toBeUndefined();
  expect(await change({ storage: "local", delete: "1" })).toContain("is not a pool member");
  expect(await remove()).toBeUndefined();
});
