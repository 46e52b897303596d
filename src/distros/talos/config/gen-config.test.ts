import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { parseBundle, type Bundle } from "../../../secrets/index.ts";
import { cpuMs } from "../../../../test/support/cpu-ms.ts";
import { encodeMachineConfig } from "./config-document.ts";
import { genConfig, genSecrets, patchConfigText } from "./gen-config.ts";
import { machineConfig } from "./machine-config.ts";
import { singleLink } from "./network-intent.ts";
import { readPatchFlag } from "./patch/patch-flags.ts";
import { readPatch } from "./patch/read-patch.ts";

const options = { clock: realClock, random: realRandom };
let bundle: Bundle;
beforeAll(async () => {
  bundle = parseBundle(await genSecrets(options), "secrets.yaml");
});

const base = () => ({ ...options, name: "lab", endpoint: "https://lab:6443", bundle });

test("genConfig() writes what is asked for and nothing else", async () => {
  expect(Object.keys(await genConfig(base()))).toEqual(["controlplane", "worker", "talosconfig"]);
  const { talosconfig, ...others } = await genConfig({ ...base(), outputTypes: ["talosconfig"] });
  expect(others).toEqual({});
  expect(talosconfig).toMatch(/^context: lab\ncontexts:\n {4}lab:\n {8}endpoints: \[\]\n/);
});

test.each([
  ["lab", "no scheme", "https://lab:6443"],
  ["http://lab:80", "not https", "https://lab:6443"],
  ["https://", "no host", "https://HOST:6443"],
])("genConfig() refuses the endpoint %s", async (endpoint, why, hint) => {
  await expect(genConfig({ ...base(), endpoint })).rejects.toMatchObject({
    code: "TALOS_ENDPOINT_UNUSABLE",
    why: expect.stringContaining(why),
    next: expect.stringContaining(hint),
  });
});

test("genConfig() refuses a mirror without an address", async () => {
  await expect(genConfig({ ...base(), registryMirrors: ["docker.io"] })).rejects.toThrowError(
    /host, an equals sign/,
  );
});

test("readPatchFlag() takes a file with or without the sign, or the patch itself", async () => {
  const readFile = (file: string) =>
    file === "p.yaml" ? Promise.resolve("debug: true") : Promise.reject(new Error("ENOENT"));
  const documents = [{ debug: true }];
  await expect(readPatchFlag("@p.yaml", readFile)).resolves.toMatchObject({ source: "p.yaml", documents });
  await expect(readPatchFlag("p.yaml", readFile)).resolves.toMatchObject({ source: "p.yaml", documents });
  await expect(readPatchFlag("debug: true", readFile)).resolves.toMatchObject({ documents });
  await expect(readPatchFlag('{"debug":true}', readFile)).resolves.toMatchObject({ documents });
  await expect(readPatchFlag("@gone.yaml", readFile)).rejects.toThrowError(
    /Cannot read the patch "gone.yaml"/,
  );
});

test("patchConfigText() merges texts and names the line that does not fit", () => {
  const config =
    "version: v1alpha1\nmachine:\n    type: worker\n    token: t\n    certSANs: []\ncluster: null\n";
  const patched = patchConfigText(config, "worker.yaml", [readPatch("machine: { certSANs: [a] }", "p.yaml")]);
  expect(patched).toBe(config.replace("certSANs: []", "certSANs:\n        - a"));
  const broken = readPatch("machine:\n  kubelet:\n    extraArgs: [a]", "p.yaml");
  expect(() => patchConfigText(config, "worker.yaml", [broken])).toThrowError(
    /"p.yaml": line 3, at "machine.kubelet.extraArgs": it must be a map, not a list/,
  );
});

test.each(["1.13", "1.14"])(
  "configs of 1,000 nodes of contract %s are written within seconds",
  async (contract) => {
    const patches = [readPatch("machine: { sysctls: { vm.max_map_count: '262144' } }", "all.yaml")];
    const tookMs = await cpuMs(() => {
      for (let node = 0; node < 1000; node += 1) {
        const address = `10.0.${node >> 8}.${node & 255}`;
        const config = machineConfig(
          {
            contract,
            role: node < 3 ? "control-plane" : "worker",
            cluster: { name: "big", endpoint: "https://10.0.9.9:6443", kubernetes: "1.36.3" },
            hostname: `node-${node}`,
            network: singleLink({
              mac: `02:00:00:00:${(node >> 8).toString(16).padStart(2, "0")}:${(node & 255).toString(16).padStart(2, "0")}`,
              address: `${address}/16`,
              gateway: "10.0.0.1",
              dns: ["1.1.1.1"],
            }),
            patches,
          },
          bundle,
        );
        encodeMachineConfig(config);
      }
    });
    // Measured at well under 1.5 s.
    expect(tookMs).toBeLessThan(6000);
  },
);
