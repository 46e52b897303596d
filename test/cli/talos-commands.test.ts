import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as talosctl, talosctls } from "../support/talos/talosctls.ts";
import { readPatch, readDocuments } from "../../src/distros/talos/index.ts";
import { schematicId } from "../../src/images/index.ts";
import { inProcess, type Outcome } from "../support/screens/in-process.ts";
import { peers } from "../support/peers.ts";
import { firstLine } from "../support/screens/json-lines.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-talos-"));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => path.join(folder, name);
const read = (name: string): string => readFileSync(at(name), "utf8");
const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;

const slipway = (...args: string[]): Promise<Outcome> => inProcess(folder, ["talos", ...args]);

beforeAll(async () => {
  expect((await slipway("gen", "secrets")).code).toBe(0);
  writeFileSync(at("sysctl.yaml"), "machine:\n  sysctls:\n    vm.max_map_count: '262144'\n");
  writeFileSync(at("worker-only.yaml"), "debug: true\n");
});

describe("slipway talos gen secrets", () => {
  test("writes them for the owner alone, and never over others", async () => {
    expect(modeOf("secrets.yaml")).toBe(0o600);
    const before = read("secrets.yaml");
    const again = await slipway("gen", "secrets");
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("--force");
    expect(read("secrets.yaml")).toBe(before);
    const other = "cluster: { id: another }\n";
    writeFileSync(at("other.yaml"), other);
    expect(
      (await slipway("gen", "secrets", "-o", "other.yaml", "--force", "--talos-version", "v1.14")).code,
    ).toBe(0);
    expect(read("other.yaml")).not.toBe(other);
    expect(modeOf("other.yaml")).toBe(0o600);
  });

  test("refuses a Talos it does not know", async () => {
    const { code, stderr } = await slipway("gen", "secrets", "-o", "-", "--talos-version", "v2.0");
    expect([code, stderr]).toEqual([2, expect.stringContaining("TALOS_CONTRACT_UNKNOWN")]);
  });

  test.each(["v1.12", "v1.14"])("takes them back out of a control plane's config of %s", async (version) => {
    const made = await genConfig(
      "--talos-version",
      version,
      "-t",
      "controlplane",
      "-o",
      `cp-${version}.yaml`,
    );
    expect(made.code, made.stderr).toBe(0);
    const taken = await slipway(
      "gen",
      "secrets",
      "--from-controlplane-config",
      `cp-${version}.yaml`,
      "-o",
      "-",
    );
    expect(taken.stdout).toBe(read("secrets.yaml"));
  });
});

const genConfig = (...flags: string[]): Promise<Outcome> =>
  slipway("gen", "config", "lab", "https://10.0.0.10:6443", "--with-secrets", "secrets.yaml", ...flags);

describe("slipway talos gen config", () => {
  test("writes all three files into a folder, private, or none when one is there", async () => {
    expect((await genConfig("-o", "out")).code).toBe(0);
    for (const name of ["controlplane.yaml", "worker.yaml", "talosconfig"])
      expect(modeOf(`out/${name}`)).toBe(0o600);
    rmSync(at("out/controlplane.yaml"));
    expect((await genConfig("-o", "out")).code).toBe(2);
    expect(() => statSync(at("out/controlplane.yaml"))).toThrowError(/ENOENT/);
    expect((await genConfig("-o", "out", "--force")).code).toBe(0);
  });

  test.each([
    [["--output-types", "init"], "RUN_NOT_AN_OUTPUT"],
    [["-o", "-"], "RUN_NOT_ONE_OUTPUT"],
    [["-t", "worker", "-o", "-", "--talos-version", "v1.99"], "TALOS_CONTRACT_UNKNOWN"],
    [["-t", "worker", "-o", "-", "--config-patch", "@gone.yaml"], "TALOS_PATCH_FILE_MISSING"],
    [["-t", "worker", "-o", "-", "--with-secrets", "sysctl.yaml"], "SECRETS_DAMAGED"],
    [["-t", "worker", "-o", "-", "--with-secrets", "gone.yaml"], "RUN_NOT_READABLE"],
    [["--with-docs=true"], "without comments"],
  ])("refuses %j with exit code 2", async (flags, code) => {
    const answer = await genConfig(...flags);
    expect([answer.code, answer.stdout]).toEqual([2, ""]);
    expect(answer.stderr.replaceAll(/\s+/g, " ")).toContain(code);
  });

  const manyFlags = [
    ...["--config-patch", "@sysctl.yaml", "--config-patch-worker", "@worker-only.yaml", "--with-kubespan"],
    ...["--install-disk", "/dev/vda", "--additional-sans", "a.lan,b.lan", "--dns-domain", "my.domain"],
  ];
  const cases = talosctls.flatMap((peer) => [
    { peer, contract: `v1.${peer.minor}`, type: "controlplane", flags: [] },
    { peer, contract: `v1.${peer.minor}`, type: "worker", flags: manyFlags },
  ]);

  // lab/build-talosctl.sh [VERSION] builds the programs.
  test.skipIf(cases.length === 0).each(cases)(
    "writes what talosctl $peer.version writes for $contract: $type $flags",
    peers,
    async ({ peer, contract, type, flags }) => {
      const same = ["--talos-version", contract, "--kubernetes-version", "1.34.0", "--output-types", type];
      const image = ["--install-image", "factory.talos.dev/nocloud-installer/abc:v1.13.9"];
      const inFolder = flags.map((flag) => (flag.startsWith("@") ? `@${at(flag.slice(1))}` : flag));
      const theirs = await talosctl(
        peer,
        ...["gen", "config", "lab", "https://10.0.0.10:6443", "--with-secrets", at("secrets.yaml")],
        ...["--with-docs=false", "--with-examples=false", "-o", "-", ...same, ...image, ...inFolder],
      );
      const ours = await genConfig(...same, ...image, ...flags, "-o", "-", "--with-docs=false");
      expect(ours.code, ours.stderr).toBe(0);
      expect(ours.stdout).toBe(theirs.stdout);
    },
  );
});

describe("slipway talos patch", () => {
  const config = "patched-worker.yaml";
  beforeAll(async () => {
    await genConfig("-t", "worker", "-o", config, "--talos-version", "v1.12", "--force");
  });

  test("prints the config with all patches merged in their order", async () => {
    const { code, stdout } = await slipway(
      "patch",
      config,
      "-p",
      "@sysctl.yaml",
      "--patch",
      '{"debug": true}',
    );
    expect(code).toBe(0);
    expect(readDocuments(stdout, "stdout")[0]).toMatchObject({
      debug: true,
      machine: { sysctls: { "vm.max_map_count": "262144" } },
    });
    expect(readPatch(stdout, "stdout").documents).toHaveLength(2);
  });

  test("names file, line and path of what does not fit", async () => {
    writeFileSync(at("wrong.yaml"), "machine:\n  kubelet:\n    extraArgs: [a]\n");
    const { code, stderr } = await slipway("patch", config, "--patch", "@wrong.yaml");
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, " ")).toContain('line 3, at "machine.kubelet.extraArgs"');
    expect(stderr).toContain('"wrong.yaml"');
  });

  test("writes a file once", async () => {
    expect((await slipway("patch", config, "-p", "debug: true", "-o", "once.yaml")).code).toBe(0);
    expect((await slipway("patch", config, "-p", "debug: true", "-o", "once.yaml")).code).toBe(2);
    expect((await slipway("patch", config, "-p", "debug: true", "-o", "once.yaml", "--force")).code).toBe(0);
  });

  test.skipIf(talosctls.length === 0).each(talosctls)(
    "agrees with talosctl $version",
    peers,
    async (peer) => {
      const patches = ["-p", "@sysctl.yaml", "-p", "@worker-only.yaml"];
      const inFolder = patches.map((flag) => flag.replace("@", `@${folder}/`));
      const theirs = at(`theirs-${peer.version}.yaml`);
      await talosctl(peer, "machineconfig", "patch", at(config), ...inFolder, "-o", theirs);
      expect((await slipway("patch", config, ...patches)).stdout).toBe(readFileSync(theirs, "utf8"));
    },
  );
});

describe("slipway talos schematic", () => {
  test("prints the id the factory would give, with --json also what it is made of", async () => {
    writeFileSync(
      at("schematic.yaml"),
      "customization:\n  systemExtensions:\n    officialExtensions: [siderolabs/qemu-guest-agent]\n",
    );
    const id = schematicId({ officialExtensions: ["siderolabs/qemu-guest-agent"] });
    expect((await slipway("schematic", "schematic.yaml")).stdout).toBe(`${id}\n`);
    expect(firstLine((await slipway("schematic", "schematic.yaml", "--json")).stdout)).toMatchObject({
      id,
      schematic: expect.stringContaining("    systemExtensions:\n"),
    });
  });

  test("names the line of what it cannot read", async () => {
    writeFileSync(at("odd.yaml"), "customization:\n  extraKernelArgs: [a]\n  kernel: b\n");
    const { code, stderr } = await slipway("schematic", "odd.yaml");
    expect(code).toBe(2);
    expect(stderr).toContain("line 3");
  });
});
