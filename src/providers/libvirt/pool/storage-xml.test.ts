import { expect, test } from "vitest";
import { expectGolden } from "../../../../test/support/golden.ts";
import { schemaComplaints } from "../../../../test/support/libvirt/xml-validate.ts";
import { poolXml, readPool, type PoolXml } from "./pool-xml.ts";
import { readVolume, volumeXml, type VolumeXml } from "./volume-xml.ts";

const backing = { path: "/pool/base.qcow2", format: "qcow2" };
const volumes: Record<string, VolumeXml> = {
  base: { name: "slipway-talos.qcow2", format: "qcow2", capacityBytes: 3 * 2 ** 30 },
  overlay: { name: "lab-cp-1.qcow2", format: "qcow2", capacityBytes: 20 * 2 ** 30, backing },
  "data-thin": { name: "lab-cp-1-data1.img", format: "raw", capacityBytes: 2 ** 40, isThin: true },
  "data-full": { name: `lab <&>"' größe.img`, format: "raw", capacityBytes: 2 ** 30 },
};

test.each(Object.entries(volumes))("the volume %s is written as agreed and read back", (name, volume) => {
  const text = volumeXml(volume);
  expect(schemaComplaints(text, "storagevol")).toBe("");
  expectGolden(text, import.meta.dirname, "testdata", `volume-${name}.xml`);
  const { format, capacityBytes } = volume;
  const base = volume.backing && { backing: volume.backing };
  const read = { name: volume.name, format, capacityBytes, ...base, path: "", allocationBytes: 0 };
  expect(readVolume(text)).toEqual(read);
});

test.each([
  [{ name: "lab", kind: "dir", path: "/var/lib/slipway" }, { path: "/var/lib/slipway" }],
  [
    { name: "lab", kind: "logical", group: "vg0" },
    { source: "vg0", path: "/dev/vg0" },
  ],
  [
    { name: "lab", kind: "zfs", dataset: "tank/machines" },
    { source: "tank/machines", path: "" },
  ],
] satisfies [PoolXml, object][])("the pool %j is written as agreed and read back", (pool, expected) => {
  const text = poolXml(pool);
  expect(schemaComplaints(text, "storagepool")).toBe("");
  expectGolden(text, import.meta.dirname, "testdata", `pool-${pool.kind}.xml`);
  const known = text.replace("</name>", "</name><uuid>u</uuid>");
  const sizes = { capacityBytes: 0, availableBytes: 0 };
  expect(readPool(known)).toEqual({ name: "lab", uuid: "u", kind: pool.kind, ...expected, ...sizes });
});

test.each([
  ["unit='bytes'>1024", 1024],
  [">1024", 1024],
  ["unit='KiB'>1", 1024],
  ["unit='k'>1", 1024],
  ["unit='KB'>1", 1000],
  ["unit='MiB'>2", 2 * 2 ** 20],
  ["unit='G'>2", 2 * 2 ** 30],
  ["unit='TB'>1", 1e12],
])("a capacity of %s is %d bytes", (amount, bytes) => {
  expect(readVolume(`<volume><name>x</name><capacity ${amount}</capacity></volume>`).capacityBytes).toBe(
    bytes,
  );
});
