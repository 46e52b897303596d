import { expect, test } from "vitest";
import type { TalosDistribution } from "../../spec/index.ts";
import {
  bootPieceUrl,
  canProxmoxUnpack,
  checkExtensions,
  imageUrl,
  installerImage,
  packingOf,
  readSchematic,
  schematicId,
  schematicYaml,
  talosImage,
  type Schematic,
} from "../index.ts";

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
    officialExtensions: ["siderolabs/b", "siderolabs/a"],
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
            - siderolabs/b
            - siderolabs/a
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
  firstContact: "console",
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

test("talosImage() has one id for one set of extensions, however it is written", () => {
  const ids = [
    ["siderolabs/b", "siderolabs/a"],
    ["siderolabs/a", "siderolabs/b", "siderolabs/a"],
  ].map((extensions) => talosImage({ ...distribution, extensions }).schematicId);
  expect(new Set(ids).size).toBe(1);
});

test("secure boot and other formats have addresses of their own", () => {
  const secure = { ...build, platform: "metal", isSecureBoot: true, architecture: "arm64" } as const;
  expect(imageUrl({ ...secure, format: "iso" })).toMatch(/\/metal-arm64-secureboot\.iso$/);
  expect(imageUrl({ ...build, architecture: "amd64", format: "raw.zst" })).toMatch(
    /\/nocloud-amd64\.raw\.zst$/,
  );
  expect(installerImage(secure)).toBe("factory.talos.dev/metal-installer-secureboot/abc:v1.13.9");
  expect(bootPieceUrl({ ...secure, piece: "uki" })).toMatch(/\/metal-arm64-secureboot-uki\.efi$/);
  expect(bootPieceUrl({ ...secure, piece: "initramfs" })).toMatch(/\/v1\.13\.9\/initramfs-arm64\.xz$/);
  expect(imageUrl({ ...build, factory: "mirror.lan:8080", architecture: "amd64" })).toMatch(
    /^https:\/\/mirror\.lan:8080\/image\/abc/,
  );
});

test("readSchematic() gives a file the id the factory gives it", () => {
  const file = `customization:
  systemExtensions:
    officialExtensions: [siderolabs/qemu-guest-agent]
`;
  expect(schematicId(readSchematic(file, "s.yaml"))).toBe(
    "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515",
  );
  for (const empty of ["", "customization: {}", "customization:\n", '{"customization":{"meta":[]}}'])
    expect(schematicId(readSchematic(empty, "s.yaml"))).toBe(schematicId({}));
  for (const [, schematic, id] of knownIds)
    expect(schematicId(readSchematic(schematicYaml(schematic), "s.yaml"))).toBe(id);
});

test("readSchematic() refuses what the factory would refuse", () => {
  expect(() => readSchematic("customisation: {}", "s.yaml")).toThrowError(
    /Cannot read the schematic "s.yaml".*customisation/,
  );
  expect(() => readSchematic("customization: { meta: [{ key: 300, value: a }] }", "s.yaml")).toThrowError(
    /at "customization.meta.0.key"/,
  );
  expect(() => readSchematic("a: [", "s.yaml")).toThrowError(/is not YAML/);
});

test("checkExtensions() refuses what the version does not have and knows renamed ones", () => {
  const offered = ["siderolabs/i915", "siderolabs/iscsi-tools", "siderolabs/nvidia-container-toolkit-lts"];
  const good = ["siderolabs/i915-ucode", "siderolabs/iscsi-tools", "siderolabs/nvidia-container-toolkit"];
  expect(() => checkExtensions(good, offered, "1.13.9")).not.toThrow();
  expect(() => checkExtensions(["siderolabs/iscsi"], offered, "1.13.9")).toThrowError(
    expect.objectContaining({
      code: "IMAGE_EXTENSION_UNKNOWN",
      next: 'Did you mean "siderolabs/iscsi-tools"?',
    }),
  );
});

test("xz and packed images to import are unpacked before Proxmox sees them", () => {
  expect(packingOf("metal-amd64.raw.xz")).toBe("xz");
  expect(packingOf("https://m.lan/a.qcow2?x=1")).toBeUndefined();
  expect(canProxmoxUnpack("xz", "iso")).toBe(false);
  expect(canProxmoxUnpack("zst", "iso")).toBe(true);
  expect(canProxmoxUnpack("zst", "import")).toBe(false);
});

test("a misspelt extension is told the one that was meant", () => {
  const offered = ["siderolabs/qemu-guest-agent", "siderolabs/xen-guest-agent", "siderolabs/zfs"];
  expect(() => checkExtensions(["siderolabs/qemu-guest-agnet"], offered, "1.13.9")).toThrowError(
    expect.objectContaining({
      next: expect.stringMatching(/^Did you mean "siderolabs\/qemu-guest-agent"/) as string,
    }),
  );
});
