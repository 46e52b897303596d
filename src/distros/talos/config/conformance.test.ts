import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseBundle, writeBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
import { readDocuments } from "./patch/read-patch.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { patchMachineConfig } from "./patch/patches.ts";
import { peerFile, peers } from "../../../../test/support/peers.ts";

// The vectors are published by the Talos project and stay outside this repository, in shared/ beside its folder.
const archive = path.resolve(import.meta.dirname, "../../../../../shared/conformance/talos.tar.gz");
const isThere = peerFile(archive) !== undefined;
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
describe.skipIf(!isThere)("as the Talos project does it", peers, () => {
  const base = (contract: string, role: MachineIntent["role"]): MachineIntent => ({
    contract,
    role,
    cluster: { name: "base", endpoint: "https://base:6443", kubernetes: "1.28.0" },
  });
  const bundle = (): Bundle => parseBundle(read("stability/secrets.yaml"), "secrets.yaml");

  const overridden = (contract: string, role: MachineIntent["role"]): MachineIntent => ({
    ...base(contract, role),
    cluster: {
      ...base(contract, role).cluster,
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
  });

  const equal: string[] = [];
  const stability = contracts.flatMap((contract) =>
    roles.flatMap(([role, file]) => [
      [`v${contract}/base-${file}.yaml`, () => base(contract, role)] as const,
      [`v${contract}/overrides-${file}.yaml`, () => overridden(contract, role)] as const,
    ]),
  );

  test.each(stability)("machineConfig() writes the bytes of stability/%s", (file, intent) => {
    expect(encodeMachineConfig(machineConfig(intent(), bundle()))).toBe(read(`stability/${file}`));
    equal.push(file);
  });

  test("every stability file is equal byte for byte", async ({ annotate }) => {
    const all = readdirSync(path.join(folder, "talos/stability"), { recursive: true, encoding: "utf8" });
    const files = all.filter((file) => /^v.*\.yaml$/.test(file));
    await annotate(`${equal.length} of ${files.length} stability files are equal byte for byte`);
    expect(equal.toSorted()).toEqual(files.toSorted());
  });

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
