import { expect, test } from "vitest";
import { defaultDatacenter, parseDatacenter, type DatacenterFile } from "../../datacenter-file.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

const kinds = `
nodes: { hydra: { cores: 8, memory: 32GiB }, lyra: { cores: 8, memory: 32GiB }, orion: { cores: 8, memory: 32GiB } }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import, images] }
  thin: { type: lvmthin, size: 100GiB, content: [images] }
  thick: { type: lvm, size: 100GiB, content: [images] }
  tank: { type: zfspool, size: 100GiB, content: [images] }
  nas: { type: nfs, size: 100GiB, content: [images, iso] }
  ceph: { type: rbd, size: 100GiB, content: [images] }
`;

const datacenter = (): DatacenterFile => {
  const { users, acl, tokens } = defaultDatacenter();
  return { ...parseDatacenter(kinds, "dc.yaml"), users, acl, tokens };
};

const create = (box: Bench, vmid: number, disk: string) =>
  box.run("POST", "/nodes/hydra/qemu", { vmid: String(vmid), name: `vm-${vmid}`, scsi0: disk });

const diskOf = async (box: Bench, vmid: number) => {
  const { data } = await box.ask("GET", `/nodes/hydra/qemu/${vmid}/config`);
  return (data as { scsi0: string }).scsi0;
};

/** The disk of the clone, or why there is none. */
async function linkedClone(box: Bench): Promise<string> {
  const clone = await box.ask("POST", "/nodes/hydra/qemu/100/clone", { newid: "101", full: "0" });
  if (clone.status !== 200) return clone.message ?? "";
  const ending = await box.exitStatus(clone.data as string);
  return ending === "OK" ? diskOf(box, 101) : ending;
}

test.each([
  [
    "local:1",
    "local:100/base-100-disk-0.raw",
    "local:100/base-100-disk-0.raw/101/vm-101-disk-0.qcow2",
    false,
  ],
  [
    "local:1,format=qcow2",
    "local:100/base-100-disk-0.qcow2",
    "local:100/base-100-disk-0.qcow2/101/vm-101-disk-0.qcow2",
    true,
  ],
  [
    "nas:1,format=qcow2",
    "nas:100/base-100-disk-0.qcow2",
    "nas:100/base-100-disk-0.qcow2/101/vm-101-disk-0.qcow2",
    true,
  ],
  ["thin:1", "thin:base-100-disk-0", "thin:vm-101-disk-0", true],
  ["tank:1", "tank:base-100-disk-0", "tank:base-100-disk-0/vm-101-disk-0", true],
  ["ceph:1", "ceph:base-100-disk-0", "ceph:base-100-disk-0/vm-101-disk-0", true],
  ["thick:1", "thick:vm-100-disk-0", undefined, false],
])("what a template of %s is called, and what stands on it", async (disk, base, linked, canSnapshot) => {
  const box = await bench({ datacenter: datacenter() });
  await create(box, 100, disk);
  const taken = await box.run("POST", "/nodes/hydra/qemu/100/snapshot", { snapname: "before" });
  expect(taken).toBe(canSnapshot ? "OK" : "snapshot feature is not available");
  if (canSnapshot) await box.run("DELETE", "/nodes/hydra/qemu/100/snapshot/before");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/template")).toBe("OK");
  expect(await diskOf(box, 100)).toBe(`${base},size=1G`);
  expect(await linkedClone(box)).toContain(
    linked === undefined
      ? `Linked clone feature is not supported for '${base}' (scsi0)`
      : `${linked},size=1G`,
  );
  const copy = { newid: "102", full: "1", storage: "tank" };
  expect(await box.run("POST", "/nodes/hydra/qemu/100/clone", copy)).toBe("OK");
  expect(await diskOf(box, 102)).toBe("tank:vm-102-disk-0,size=1G");
});

test.each([
  [
    "thick",
    `lvcreate 'thick/vm-101-disk-0' error:   Volume group "thick" has insufficient free space (10240 extents): 12800 required.`,
  ],
  ["tank", "zfs error: cannot create 'rpool/tank/vm-101-disk-0': out of space"],
])("room on %s is set aside at once, and what does not fit is refused", async (storage, text) => {
  const box = await bench({ datacenter: datacenter() });
  expect(await create(box, 100, `${storage}:60`)).toBe("OK");
  const { data } = await box.ask("GET", `/nodes/hydra/storage/${storage}/status`);
  expect(data).toMatchObject({ total: 100 * 2 ** 30, used: 60 * 2 ** 30, avail: 40 * 2 ** 30 });
  expect(await create(box, 101, `${storage}:50`)).toBe(`unable to create VM 101 - ${text}`);
  const grown = await box.run("PUT", "/nodes/hydra/qemu/100/resize", { disk: "scsi0", size: "+50G" });
  expect(grown).not.toBe("OK");
  expect(await diskOf(box, 100)).toContain("size=60G");
});

test("room of thin storages is only promised, until an image really fills it", async () => {
  const box = await bench({ datacenter: datacenter() });
  expect(await create(box, 100, "thin:900")).toBe("OK");
  const image = { content: "import", filename: "a.qcow2", url: "https://factory.example/a.qcow2" };
  await box.run("POST", "/nodes/hydra/storage/local/download-url", image);
  const disk = box.sim.state().volumes.find((volume) => volume.name === "vm-100-disk-0");
  if (disk) disk.usedBytes = 100 * 2 ** 30 - 1;
  expect(await create(box, 101, "thin:0,import-from=local:import/a.qcow2")).toMatch(
    /^unable to create VM 101 - copy failed: command '\/usr\/bin\/qemu-img convert/,
  );
  expect(box.sim.state().volumes.map((volume) => volume.vmid)).toEqual([100, undefined]);
});

test("a storage shows the settings of its kind and the formats it holds", async () => {
  const box = await bench({ datacenter: datacenter() });
  const { data } = await box.ask("GET", "/storage");
  for (const settings of [
    { storage: "local", type: "dir", path: "/var/lib/vz" },
    { storage: "thin", vgname: "pve", thinpool: "data" },
    { storage: "thick", vgname: "thick" },
    { storage: "tank", pool: "rpool/tank", mountpoint: "/rpool/tank" },
    { storage: "nas", server: "nas", export: "/export/nas", path: "/mnt/pve/nas", shared: 1 },
    { storage: "ceph", pool: "ceph", krbd: 0, shared: 1 },
  ]) {
    expect(data).toContainEqual(expect.objectContaining(settings));
  }
  const listed = await box.ask("GET", "/nodes/hydra/storage", { format: "1", storage: "thin" });
  expect(listed.data).toMatchObject([{ storage: "thin", formats: { supported: ["raw"], default: "raw" } }]);
});

test("parseDatacenter() refuses files on a storage of blocks", () => {
  expect(() =>
    parseDatacenter(
      kinds.replace("size: 100GiB, content: [images] }", "size: 1GiB, content: [iso] }"),
      "dc.yaml",
    ),
  ).toThrow(
    expect.objectContaining({
      why: '"storages.thin.content" holds files; a storage of this type holds images and rootdir only',
    }),
  );
});
