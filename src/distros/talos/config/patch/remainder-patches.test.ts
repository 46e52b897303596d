import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../../secrets/index.ts";
import { machineConfig } from "../machine-config.ts";
import type { MachineIntent } from "../machine-intent.ts";
import { patchMachineConfig } from "./patches.ts";
import { readPatch } from "./read-patch.ts";
import { basicsOf, remainderOf, remainderPatches } from "./remainder-patches.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

const rich = (contract: string, role: MachineIntent["role"]): MachineIntent => ({
  contract,
  role,
  cluster: {
    name: "lab",
    endpoint: "https://10.0.0.10:6443",
    kubernetes: "1.33.4",
    podSubnets: ["10.1.0.0/16"],
    cni: "none",
    isKubeProxyOff: true,
    hasKubeSpan: true,
  },
  hostname: "cp-1",
  network: {
    links: [{ mac: "02:00:00:00:00:01", addresses: ["10.0.0.11/24"], routes: [{ gateway: "10.0.0.1" }] }],
    dns: ["10.0.0.1"],
    ntp: ["10.0.0.2"],
    hosts: { "10.0.0.3": ["nas.lan"] },
  },
  install: { disk: "/dev/sda", image: "factory.talos.dev/nocloud-installer/abc:v1.13.9" },
  certSANs: role === "control-plane" ? ["10.0.0.10"] : [],
  nodeSubnets: ["10.0.0.0/24"],
  labels: { tier: "front" },
  sysctls: { "vm.max_map_count": "262144" },
  kernelModules: [{ name: "br_netfilter" }],
  kubelet: { extraArgs: { "rotate-server-certificates": "true" } },
  registries: { "docker.io": { endpoints: ["https://mirror.lan"] } },
});

test.each(["1.8", "1.11", "1.12", "1.13", "1.14", "1.15"])(
  "remainderPatches() bring a config of the basics to all the rest in %s",
  (contract) => {
    for (const role of ["control-plane", "worker"] as const) {
      const intent = rich(contract, role);
      const patches = remainderPatches(intent, bundle).map((text) => readPatch(text, "remainder"));
      const patched = patchMachineConfig(machineConfig(basicsOf(intent), bundle), patches);
      const byKind = (documents: object[]) => documents.map((one) => JSON.stringify(sorted(one))).toSorted();
      expect(byKind(patched)).toEqual(byKind(machineConfig(remainderOf(intent), bundle)));
    }
  },
);

test("remainderPatches() say nothing where there is nothing to say, and never a secret", () => {
  const intent = rich("1.13", "control-plane");
  expect(remainderPatches(basicsOf(intent), bundle)).toEqual([]);
  const text = remainderPatches(intent, bundle).join("");
  for (const secret of [bundle.trustdToken, bundle.bootstrapToken, bundle.clusterSecret])
    expect(text).not.toContain(secret);
});

/** Keys in order, and what is empty left out: a patch makes a map and never takes an empty one away. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined && JSON.stringify(inner) !== "{}")
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
