import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { addons } from "../../src/addons/index.ts";
import { distributions } from "../../src/distros/index.ts";

const root = path.resolve(import.meta.dirname, "../..");

interface Found {
  message: string;
}

/** As the linter loads it. */
interface Plugin {
  rules: {
    "owned-names": {
      create(context: { filename: string; report(found: Found): void }): {
        Literal?(node: { value: string }): void;
      };
    };
  };
}

const { default: plugin, rows } = (await import(path.join(root, "scripts/lint/owned-names.js"))) as {
  default: Plugin;
  rows: { names: string[]; allowed: Record<string, string> }[];
};

/** What the rule says of a text that stands in a file. */
function saidOf(file: string, text: string): string[] {
  const found: Found[] = [];
  const context = { filename: path.join(root, file), report: (each: Found) => void found.push(each) };
  plugin.rules["owned-names"].create(context).Literal?.({ value: text });
  return found.map(({ message }) => message.replace(/:.*/, ""));
}

test("the name of an add-on is refused outside its folder, however it is written", () => {
  const somewhere = "src/plan/resource.ts";
  expect(saidOf(somewhere, "cilium")).toEqual(['"cilium" is the name of an add-on']);
  expect(saidOf(somewhere, "hasMetricsServer")).toEqual(['"metrics-server" is the name of an add-on']);
  expect(saidOf(somewhere, "influx")).toEqual([]);
  expect(saidOf("src/addons/cilium/install.ts", "cilium")).toEqual([]);
  expect(saidOf("src/spec/schema/pool.ts", "longhorn")).toEqual([]);
});

test("a distribution and a provider are asked for facts, and sentences may name them", () => {
  const somewhere = "src/checks/health/health.ts";
  expect(saidOf(somewhere, "k3s")).toEqual(['"k3s" is the name of a distribution']);
  expect(saidOf(somewhere, "isTalos")).toEqual(['"talos" is the name of a distribution']);
  expect(saidOf(somewhere, "isProxmoxHost")).toEqual(['"proxmox" is the name of a provider']);
  expect(saidOf(somewhere, "Talos has no shell, and libvirt a console")).toEqual([]);
});

test("a distribution and a provider own no name but theirs", () => {
  expect(saidOf("src/distros/k3s/describe.ts", "k3s")).toEqual([]);
  expect(saidOf("src/distros/k3s/describe.ts", "talos")).toEqual(['"talos" is the name of a distribution']);
  expect(saidOf("src/distros/kubernetes/index.ts", "k3s")).toEqual(['"k3s" is the name of a distribution']);
  expect(saidOf("src/providers/proxmox/names.ts", "libvirt")).toEqual([
    '"libvirt" is the name of a provider',
  ]);
  expect(saidOf("src/providers/common/index.ts", "libvirt")).toEqual(['"libvirt" is the name of a provider']);
});

test("linux is a name where it is asked for, and an everyday word elsewhere", () => {
  const somewhere = "src/providers/libvirt/machine/machine-want.ts";
  for (const text of ["linux", "isLinux", "LinuxCluster"])
    expect(saidOf(somewhere, text)).toEqual(['"linux" is the name of a distribution']);
  for (const text of ["Linux", "linuxSystem", "../linux-hosts/index.ts"])
    expect(saidOf(somewhere, text)).toEqual([]);
});

test("the table knows every add-on, distribution and provider there is", () => {
  const names = rows.flatMap((row) => row.names);
  const known = [
    ...addons.filter(({ ownName }) => !ownName).map(({ name }) => name),
    ...distributions.map(({ name }) => name),
    ...["proxmox", "libvirt"],
  ];
  // Its own name is the product's, and stands everywhere.
  expect(known.filter((name) => !names.includes(name))).toEqual(["slipway"]);
});

test("each allowed place is there, still needs to be allowed, and has its reason", () => {
  for (const { names, allowed } of rows)
    for (const [place, reason] of Object.entries(allowed)) {
      expect(reason.length, place).toBeGreaterThan(10);
      const file = path.join(root, place);
      if (statSync(file).isDirectory()) continue;
      const text = readFileSync(file, "utf8").toLowerCase();
      const isNeeded = names.some((name) => text.includes(name.replaceAll("-", "")) || text.includes(name));
      expect(isNeeded, `${place} names nothing any more: take it out of the table`).toBe(true);
    }
});
