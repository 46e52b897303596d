import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseBundle, writeBundle, type Bundle } from "../../secrets/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
import { readDocuments } from "./read-patch.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { patchMachineConfig } from "./patches.ts";

// The vectors are published by the Talos project and stay outside this repository, in shared/ beside its folder.
const archive = path.resolve(import.meta.dirname, "../../../../shared/conformance/talos.tar.gz");
const isThere = existsSync(archive);
const folder = mkdtempSync(path.join(tmpdir(), "slipway-talos-vectors-"));
if (isThere) execFileSync("tar", ["-xzf", archive, "-C", folder]);
afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string): string => readFileSync(path.join(folder, "talos", file), "utf8");
const documents = (file: string): MachineConfigDocument[] => readDocuments(read(file), file);
const patch = (config: string, ...patches: string[]): MachineConfigDocument[] =>
  patchMachineConfig(
    documents(config),
    patches.map((file) => ({ source: file, documents: documents(file) })),
  );
/** As Talos itself would write the file: its order, without what means nothing. */
const written = (file: string): string => encodeMachineConfig(patchMachineConfig(documents(file), []));

const contracts = ["1.8", "1.10", "1.12", "1.14"];
const roles = [
  ["control-plane", "controlplane"],
  ["worker", "worker"],
] as const;

// Where these are skipped: put shared/conformance/talos.tar.gz beside the repository's folder.
describe.skipIf(!isThere)("as the Talos project does it", () => {
  const base = (contract: string, role: MachineIntent["role"]): MachineIntent => ({
    contract,
    role,
    cluster: { name: "base", endpoint: "https://base:6443", kubernetes: "1.28.0" },
  });
  const bundle = (): Bundle => parseBundle(read("stability/secrets.yaml"), "secrets.yaml");

  test.each(contracts.flatMap((contract) => roles.map((role) => [contract, ...role] as const)))(
    "machineConfig() for contract %s writes the same bytes for a %s",
    (contract, role, file) => {
      const config = machineConfig(base(contract, role), bundle());
      expect(encodeMachineConfig(config)).toBe(read(`stability/v${contract}/base-${file}.yaml`));
    },
  );

  test.each(contracts.flatMap((contract) => roles.map((role) => [contract, ...role] as const)))(
    "machineConfig() for contract %s writes the same bytes for a %s with every option and a patch",
    (contract, role, file) => {
      const intent = base(contract, role);
      const config = machineConfig(
        {
          ...intent,
          cluster: {
            ...intent.cluster,
            dnsDomain: "example.com",
            cni: { urls: ["https://example.com/cni.yaml"] },
            isSchedulingOnControlPlanes: true,
            localApiServerPort: 5443,
          },
          certSANs: ["foo", "bar"],
          install: { disk: "/dev/vda", extraKernelArgs: ["foo=bar", "bar=baz"] },
          sysctls: { foo: "bar" },
          registries: { "ghcr.io": { endpoints: ["https://ghcr.io.my-mirror.com"] } },
          patches: [
            {
              source: "patch",
              documents: documents(`stability/${contract === "1.14" ? "patch" : "patch-pre14"}.yaml`),
            },
          ],
        },
        bundle(),
      );
      expect(encodeMachineConfig(config)).toBe(read(`stability/v${contract}/overrides-${file}.yaml`));
    },
  );

  test.each(["001", "002", "003", "004"])("patchMachineConfig() merges case %s", (name) => {
    const merged = patch(`merge/${name}/left.yaml`, `merge/${name}/right.yaml`);
    expect(encodeMachineConfig(merged)).toBe(written(`merge/${name}/expected.yaml`));
  });

  const inside = (place: string, ...names: string[]) => names.map((name) => `patch/${place}/${name}.yaml`);

  test.each([
    ["apply", ["config", "strategic1", "jsonpatch1", "jsonpatch2", "strategic2", "strategic3"], "expected"],
    ["apply", ["config", "strategic4"], "expected_manifests"],
    ["multidoc", ["config", "strategic1", "strategic2", "strategic3"], "expected"],
    ["patchdelete", ["config", "strategic1"], "expected"],
    ["patchdelete", ["controlplane_orig", "strategic2", "strategic3", "strategic4"], "controlplane_expected"],
  ])("patchMachineConfig() in %s with %j gives the bytes of %s", (place, names, expected) => {
    const [config = "", ...patches] = inside(place, ...names);
    expect(encodeMachineConfig(patch(config, ...patches))).toBe(read(`patch/${place}/${expected}.yaml`));
  });

  test("patchMachineConfig() refuses a JSON patch on several documents", () => {
    const [config = "", json = ""] = inside("multidoc", "config", "jsonpatch");
    expect(() => patch(config, json)).toThrowError(/only for configs of one document/);
  });

  test("parseBundle() takes the valid bundle unchanged and refuses the invalid one with its reasons", () => {
    const text = read("secrets/secrets.yaml");
    expect(writeBundle(parseBundle(text, "secrets.yaml"))).toBe(text);
    expect(() => parseBundle(read("secrets/invalid-secrets.yaml"), "secrets.yaml")).toThrowError(
      /"cluster.secret" is missing.*"certs.etcd.key" is missing.*"certs.os.key" is not a private key/,
    );
  });
});
