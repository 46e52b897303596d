import { beforeAll, expect, test } from "vitest";
import { genConfig } from "../../distros/talos/index.ts";
import { realClock, realRandom } from "../../lib/index.ts";
import { bundleFromConfig } from "./talos-bundle-from-config.ts";
import { createBundle, type Bundle } from "./talos-bundle.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

const configOf = async (talosVersion: string, type: "controlplane" | "worker", from = bundle) => {
  const options = { clock: realClock, random: realRandom, name: "lab", endpoint: "https://lab:6443" };
  return (await genConfig({ ...options, bundle: from, talosVersion, outputTypes: [type] }))[type] ?? "";
};

test.each(["1.8", "1.11", "1.12", "1.13", "1.14", "1.15"])(
  "bundleFromConfig() finds every secret in a control plane's config of %s",
  async (version) => {
    expect(bundleFromConfig(await configOf(version, "controlplane"), "cp.yaml")).toEqual(bundle);
  },
);

test.each(["1.12", "1.14"])("bundleFromConfig() finds the older encryption secret in %s", async (version) => {
  const { secretboxEncryptionSecret: secret = "", ...others } = bundle;
  const old: Bundle = { ...others, aescbcEncryptionSecret: secret };
  expect(bundleFromConfig(await configOf(version, "controlplane", old), "cp.yaml")).toEqual(old);
});

test("bundleFromConfig() refuses a worker's config, another file and half a config, without telling secrets", async () => {
  const worker = await configOf("1.13", "worker");
  expect(() => bundleFromConfig(worker, "w.yaml")).toThrowError(/workers have no private keys/);
  expect(() => bundleFromConfig("a: 1", "x.yaml")).toThrowError(/not a Talos machine config/);
  expect(() => bundleFromConfig("a: [", "x.yaml")).toThrowError(/line 1 is not YAML/);
  const half = (await configOf("1.13", "controlplane")).replace(/^ {4}aggregatorCA:\n.*\n.*\n/m, "");
  expect(() => bundleFromConfig(half, "cp.yaml")).toThrowError(/"certs.k8saggregator.crt" is missing/);
});
