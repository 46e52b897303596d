import { expect, test } from "vitest";
import type { TalosDistribution } from "../spec/index.ts";
import { imageUrl, installerImage, schematicId, schematicYaml, talosImage, type Schematic } from "./index.ts";

const knownIds: [string, Schematic, string][] = [
  ["nothing", {}, "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"],
  [
    "kernel arguments",
    { extraKernelArgs: ["noapic", "nolapic"] },
    "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
  ],
  [
    "a meta value",
    { meta: [{ key: 10, value: "foo" }] },
    "d308a2a5ee2277bed5fbaa104fcbc8d59122abfa737df987a95b4ca763459a7f",
  ],
  [
    "an overlay",
    { overlay: { image: "siderolabs/sbc-raspberrypi", name: "rpi_generic" } },
    "ee21ef4a5ef808a9b7484cc0dda0f25075021691c8c09a276591eedb638ea1f9",
  ],
  [
    "well-known certificates",
    { secureboot: { includeWellKnownCertificates: true } },
    "fa8e05f142a851d3ee568eb0a8e5841eaf6b0ebc8df9a63df16ac5ed2c04f3e6",
  ],
  [
    "a sector size",
    { diskImage: { sectorSize: 4096 } },
    "92833e9ddd9bb9e11b2464fa5525429f01866306d52ebd882ee08d7918f6d1ea",
  ],
  [
    "an extension",
    { officialExtensions: ["siderolabs/qemu-guest-agent"] },
    "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515",
  ],
];

test.each(knownIds)("schematicId() agrees with the factory on %s", (_name, schematic, id) => {
  expect(schematicId(schematic)).toBe(id);
});

test("schematicYaml() quotes what would be read as another type and keeps the rest plain", () => {
  const text = schematicYaml({
    extraKernelArgs: ["-console", "console=ttyS0", "yes", "{}", "8", "a: b", "x"],
    officialExtensions: ["siderolabs/b", "siderolabs/a", "siderolabs/b"],
  });
  expect(text).toBe(`customization:
    extraKernelArgs:
        - -console
        - console=ttyS0
        - "yes"
        - '{}'
        - "8"
        - 'a: b'
        - x
    systemExtensions:
        officialExtensions:
            - siderolabs/a
            - siderolabs/b
`);
});

const build = {
  factory: "https://factory.talos.dev/",
  schematicId: "abc",
  version: "1.13.9",
  platform: "nocloud",
} as const;

test("factory addresses name schematic, version, platform and architecture", () => {
  expect(imageUrl({ ...build, architecture: "amd64" })).toBe(
    "https://factory.talos.dev/image/abc/v1.13.9/nocloud-amd64.qcow2",
  );
  expect(installerImage(build)).toBe("factory.talos.dev/nocloud-installer/abc:v1.13.9");
  expect(installerImage({ ...build, version: "1.9.6" })).toBe("factory.talos.dev/installer/abc:v1.9.6");
});

const distribution: TalosDistribution = {
  kind: "talos",
  version: "1.13.9",
  extensions: ["siderolabs/qemu-guest-agent"],
  kernelArgs: [],
  architecture: "amd64",
  factory: "https://factory.talos.dev",
};

test("talosImage() gives the same content the same file name", () => {
  const image = talosImage(distribution);
  expect(image.fileName).toBe("slipway-talos-1.13.9-ce4c980550dd-nocloud-amd64.qcow2");
  expect(image.installer).toBe(`factory.talos.dev/nocloud-installer/${image.schematicId}:v1.13.9`);
  expect(talosImage({ ...distribution, extensions: [] }).fileName).toContain("376567988ad3");
});

test("talosImage() takes the user's own image where one is given", () => {
  const own = talosImage({
    ...distribution,
    image: { url: "https://mirror.lan/talos.raw", checksum: { algorithm: "sha256", value: "00" } },
  });
  expect(own).toMatchObject({ url: "https://mirror.lan/talos.raw", checksum: { value: "00" } });
  expect(own.schematic).toBeUndefined();
  expect(own.fileName).toMatch(/^slipway-talos-1\.13\.9-[0-9a-f]{12}-nocloud-amd64\.raw$/);
});
