import { expect, test } from "vitest";
import { schematicId, talosImage, talosIso, type ImageChoice } from "../index.ts";

const choice: ImageChoice = {
  version: "1.13.9",
  extensions: ["siderolabs/qemu-guest-agent"],
  kernelArgs: [],
  architecture: "amd64",
  factory: "https://factory.talos.dev",
};
const id = schematicId({ officialExtensions: choice.extensions });

test("architecture and secure boot are in the address, the name and the installer", () => {
  const image = talosImage({ ...choice, architecture: "arm64", isSecureBoot: true });
  expect(image).toMatchObject({
    url: `https://factory.talos.dev/image/${id}/v1.13.9/nocloud-arm64-secureboot.qcow2`,
    fileName: `slipway-talos-1.13.9-${id.slice(0, 12)}-nocloud-arm64-secureboot.qcow2`,
    installer: `factory.talos.dev/nocloud-installer-secureboot/${id}:v1.13.9`,
  });
});

test("an ISO has the same schematic and installer as the image, and another name", () => {
  const iso = talosIso(choice);
  expect(iso).toMatchObject({
    url: `https://factory.talos.dev/image/${id}/v1.13.9/nocloud-amd64.iso`,
    fileName: `slipway-talos-1.13.9-${id.slice(0, 12)}-nocloud-amd64.iso`,
    installer: talosImage(choice).installer,
    schematicId: id,
  });
  const own = talosIso({ ...choice, image: { file: "./talos.iso.xz" } });
  expect(own).toMatchObject({
    local: { file: "./talos.iso.xz" },
    fileName: expect.stringMatching(/\.iso$/) as string,
  });
  const { local } = talosIso({ ...choice, image: { folder: "/images" } });
  expect(local).toMatchObject({
    names: expect.arrayContaining([`${id}/v1.13.9/nocloud-amd64.iso`]) as string[],
  });
});

test("a factory of the user's own is asked for image and installer alike", () => {
  const image = talosImage({ ...choice, factory: "https://images.lan:8443/" });
  expect(image.url).toMatch(/^https:\/\/images\.lan:8443\/image\//);
  expect(image.installer).toBe(`images.lan:8443/nocloud-installer/${id}:v1.13.9`);
});

test("a folder holds images as a mirror of the factory does, or by their own names, packed or not", () => {
  const { local, fileName, schematic } = talosImage({ ...choice, image: { folder: "/images" } });
  expect(schematic).toBeUndefined();
  expect(fileName).toBe(talosImage(choice).fileName);
  expect(local).toMatchObject({ folder: "/images" });
  const names = local && "names" in local ? local.names : [];
  expect(names[0]).toBe(`${id}/v1.13.9/nocloud-amd64.qcow2`);
  expect(names).toContain(`image/${id}/v1.13.9/nocloud-amd64.qcow2.zst`);
  expect(names).toContain(`${fileName}.xz`);
});

test("a file is named after its checksum, wherever it lies and however it is packed", () => {
  const checksum = { algorithm: "sha256", value: "ab".repeat(32) } as const;
  const here = talosImage({ ...choice, image: { file: "/a/talos.raw.xz", checksum } });
  const there = talosImage({ ...choice, image: { file: "/b/other.raw.xz", checksum } });
  expect(here.fileName).toBe(there.fileName);
  expect(here.fileName).toMatch(/-nocloud-amd64\.raw$/);
  expect(here.local).toEqual({ file: "/a/talos.raw.xz" });
});

test("a packed image of an address is named for what is in it", () => {
  const { fileName } = talosImage({ ...choice, image: { url: "https://m.lan/talos.raw.zst?sig=1" } });
  expect(fileName).toMatch(/\.raw$/);
});
