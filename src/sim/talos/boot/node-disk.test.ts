import { expect, test } from "vitest";
import { openNodeDisk, readImage } from "./node-disk.ts";

const schematic = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

test.each([
  [
    `https://factory.talos.dev/image/${schematic}/v1.13.9/nocloud-amd64.qcow2`,
    "1.13.9",
    schematic,
    "nocloud",
    true,
  ],
  [
    `factory.talos.dev/nocloud-installer/${schematic}:v1.14.0-rc.1`,
    "1.14.0-rc.1",
    schematic,
    "nocloud",
    true,
  ],
  ["local:iso/talos-1.12.4-nocloud-amd64.iso", "1.12.4", expect.any(String), "nocloud", false],
  ["local:import/something.qcow2", "1.13.9", expect.any(String), "nocloud", true],
  [
    "https://factory.talos.dev/image/aa/v1.13.9/metal-amd64.iso",
    "1.13.9",
    expect.any(String),
    "metal",
    false,
  ],
])("readImage() finds version and schematic in %s", (image, version, id, platform, isInstalled) => {
  expect(readImage(image)).toEqual({ version, schematic: id as unknown, platform, isInstalled });
});

test("openNodeDisk() finds what an earlier boot left, whatever image the machine was made from", () => {
  const disk = {};
  openNodeDisk(disk, "talos-1.12.4.qcow2").config = "machine: {}";
  const saved = JSON.parse(JSON.stringify(disk)) as Record<string, unknown>;
  expect(openNodeDisk(saved, "talos-1.13.9.qcow2")).toMatchObject({
    version: "1.12.4",
    config: "machine: {}",
  });
});
