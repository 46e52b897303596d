import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, writeBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
import { intentFor } from "../intent/intent-for.ts";
import { readDocuments } from "./patch/read-patch.ts";
import { machineConfig } from "./machine-config.ts";
import { patchMachineConfig } from "./patch/patches.ts";
import { labCluster } from "./testdata/lab-cluster.ts";
import { agreedPatches, refusedPatches } from "./testdata/patches.ts";
import { labFile, peers } from "../../../../test/support/peers.ts";

const talosctl = labFile("talosctl") ?? "";

// Where these are skipped: lab/build-talosctl.sh builds the program.
describe.skipIf(talosctl === "")("talosctl itself agrees", peers, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-talosctl-"));
  const file = (name: string) => path.join(folder, name);
  const run = (...args: string[]) => execFileSync(talosctl, args, { encoding: "utf8", stdio: "pipe" });
  let bundle: Bundle;

  beforeAll(async () => {
    bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
    writeFileSync(file("secrets.yaml"), writeBundle(bundle), { mode: 0o600 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(["1.8.4", "1.10.9", "1.12.11", "1.13.9"])(
    "it finds the configs of a whole cluster valid for %s, and writes them alike",
    (version) => {
      const cluster = labCluster({}, version);
      for (const node of cluster.nodes.filter(({ name }) => ["cp-1", "worker-1"].includes(name))) {
        const text = encodeMachineConfig(machineConfig(intentFor(cluster, node), bundle));
        writeFileSync(file("node.yaml"), text, { mode: 0o600 });
        expect(run("validate", "--mode", "cloud", "--strict", "--config", file("node.yaml"))).toContain(
          "is valid",
        );
        expect(run("machineconfig", "patch", file("node.yaml"), "--patch", "debug: false").trimEnd()).toBe(
          text.trimEnd(),
        );
      }
    },
  );

  const base = (): MachineConfigDocument[] =>
    machineConfig(
      {
        contract: "1.13",
        role: "control-plane",
        cluster: { name: "lab", endpoint: "https://lab:6443", kubernetes: "1.36.3" },
      },
      bundle,
    );

  const patchedByBoth = (patch: string) => {
    writeFileSync(file("base.yaml"), encodeMachineConfig(base()), { mode: 0o600 });
    writeFileSync(file("patch.yaml"), patch);
    const theirs = spawnSync(
      talosctl,
      ["machineconfig", "patch", file("base.yaml"), "--patch", `@${file("patch.yaml")}`],
      {
        encoding: "utf8",
      },
    );
    const ours = () =>
      encodeMachineConfig(
        patchMachineConfig(base(), [{ source: "patch", documents: readDocuments(patch, "patch") }]),
      );
    return { theirs, ours };
  };

  test.each(agreedPatches)("it merges to the same bytes: %s", (_name, patch) => {
    const { theirs, ours } = patchedByBoth(patch);
    expect(theirs.stderr).toBe("");
    expect(ours().trimEnd()).toBe(theirs.stdout.trimEnd());
  });

  test.each(refusedPatches)("it refuses as we do: %s", (_name, patch) => {
    const { theirs, ours } = patchedByBoth(patch);
    expect(theirs.status).not.toBe(0);
    expect(ours).toThrowError(/Cannot (apply|read) the patch/);
  });
});
