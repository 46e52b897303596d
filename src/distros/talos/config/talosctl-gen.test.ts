import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { parseBundle, writeBundle, type Bundle } from "../../../secrets/index.ts";
import { genConfig, genSecrets, type GenConfigOptions } from "./gen-config.ts";
import { readPatch } from "./patch/read-patch.ts";
import { run, talosctls } from "../../../../test/support/talos/talosctls.ts";
import { peers } from "../../../../test/support/peers.ts";

const patch = "machine: { certSANs: [from-patch] }";
const workerPatch = "debug: true";
const options = { clock: realClock, random: realRandom };
const plain = ["--with-docs=false", "--with-examples=false", "--force"];

/** Sets of flags, each as talosctl and as we are given it. */
const flagSets: [string, string[], Partial<GenConfigOptions>][] = [
  ["no flags", [], {}],
  [
    "many flags",
    [
      ...["--install-disk", "/dev/vda", "--additional-sans", "a.lan,10.0.0.1", "--dns-domain", "my.domain"],
      ...["--registry-mirror", "docker.io=https://m.lan", "--registry-mirror", "docker.io=https://n.lan"],
      ...["--with-kubespan", "--with-cluster-discovery=true", "--config-patch", patch],
      ...["--config-patch-worker", workerPatch],
    ],
    {
      installDisk: "/dev/vda",
      additionalSans: ["a.lan", "10.0.0.1"],
      dnsDomain: "my.domain",
      registryMirrors: ["docker.io=https://m.lan", "docker.io=https://n.lan"],
      withKubespan: true,
      configPatches: [readPatch(patch, "flag")],
      configPatchesWorker: [readPatch(workerPatch, "flag")],
    },
  ],
  ["no discovery", ["--with-cluster-discovery=false"], { withClusterDiscovery: false }],
];

const cases = talosctls.flatMap((program) =>
  [8, 9, 10, 11, 12, 13, 14]
    .filter((minor) => minor <= program.minor)
    .flatMap((minor) => flagSets.map((flags) => [program.version, `v1.${minor}`, ...flags] as const)),
);

// Where these are skipped: lab/build-talosctl.sh [VERSION] builds the programs.
describe.skipIf(talosctls.length === 0)("talosctl gen", peers, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-gen-"));
  const secrets = path.join(folder, "secrets.yaml");
  let bundle: Bundle;
  beforeAll(async () => {
    const text = await genSecrets(options);
    await writeFile(secrets, text, { mode: 0o600 });
    bundle = parseBundle(text, "secrets.yaml");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(cases)(
    "config of %s for %s with %s is ours, byte for byte",
    async (version, contract, _name, flags, same) => {
      const program = talosctls.find((candidate) => candidate.version === version);
      if (!program) throw new Error("no program");
      const out = path.join(folder, `${version}-${contract}`);
      const image = "factory.talos.dev/nocloud-installer/abc:v1.13.9";
      const versions = [
        "--talos-version",
        contract,
        "--kubernetes-version",
        "1.33.4",
        "--install-image",
        image,
      ];
      const theirs = await run(
        program,
        ...["gen", "config", "lab", "https://lab:6443", "--with-secrets", secrets, "--output", out],
        ...[...plain, ...versions, ...flags],
      );
      expect(theirs.isDone, theirs.stderr).toBe(true);
      const ours = await genConfig({
        ...options,
        ...same,
        name: "lab",
        endpoint: "https://lab:6443",
        bundle,
        talosVersion: contract,
        kubernetesVersion: "1.33.4",
        installImage: image,
        outputTypes: ["controlplane", "worker"],
      });
      expect(ours.controlplane).toBe(await readFile(path.join(out, "controlplane.yaml"), "utf8"));
      expect(ours.worker).toBe(await readFile(path.join(out, "worker.yaml"), "utf8"));
    },
  );

  test.each(talosctls)("secrets of $version are read and written back unchanged", async (program) => {
    const file = path.join(folder, `theirs-${program.version}.yaml`);
    await run(program, "gen", "secrets", "--force", "--output-file", file);
    const text = await readFile(file, "utf8");
    expect(writeBundle(parseBundle(text, "theirs.yaml"))).toBe(text);
  });

  test.each(talosctls)("the defaults of $version are ours", async (program) => {
    const file = path.join(folder, `worker-${program.version}.yaml`);
    await run(
      program,
      "gen",
      "config",
      "lab",
      "https://lab:6443",
      "-t",
      "worker",
      "-o",
      file,
      "--with-secrets",
      secrets,
      ...plain,
    );
    const theirs = await readFile(file, "utf8");
    const { worker = "" } = await genConfig({
      ...options,
      name: "lab",
      endpoint: "https://lab:6443",
      bundle,
      talosVersion: program.version,
      outputTypes: ["worker"],
    });
    // An older patch of Talos brings an older patch of Kubernetes.
    const withoutPatch = (text: string) => text.replace(/(kubelet:v\d+\.\d+)\.\d+/, "$1");
    expect(withoutPatch(worker)).toBe(withoutPatch(theirs));
  });
});
