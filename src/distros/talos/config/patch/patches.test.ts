import { expect, test } from "vitest";
import type { MachineConfigDocument } from "../config-document.ts";
import { readDocuments } from "./read-patch.ts";
import { patchMachineConfig } from "./patches.ts";

const base = (): MachineConfigDocument[] => [
  {
    version: "v1alpha1",
    machine: {
      type: "worker",
      token: "t",
      certSANs: ["a"],
      kubelet: { image: "k:v1", extraArgs: { v: "2" }, extraConfig: { maxPods: 110, list: ["x"] } },
      nodeLabels: { zone: "one" },
      features: { rbac: true },
    },
    cluster: { network: { dnsDomain: "d", podSubnets: ["10.0.0.0/8"], serviceSubnets: ["11.0.0.0/8"] } },
  },
  { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "stable" },
];

const patched = (...patches: string[]): MachineConfigDocument[] =>
  patchMachineConfig(
    base(),
    patches.map((text, index) => ({
      source: `patch-${index + 1}.yaml`,
      documents: readDocuments(text, "patch"),
    })),
  );

const machine = (...patches: string[]): unknown => patched(...patches)[0]?.["machine"];
const cluster = (...patches: string[]): unknown => patched(...patches)[0]?.["cluster"];

test("a patch appends to lists, also when it is applied twice", () => {
  const patch = "machine: { certSANs: [b] }";
  expect(machine(patch, patch)).toMatchObject({ certSANs: ["a", "b", "b"] });
});

test("several documents of one kind and name in one file apply in their order", () => {
  const gone = "apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete";
  const named = 'apiVersion: v1alpha1\nkind: HostnameConfig\nauto: "off"\nhostname: b';
  const hostnames = (patch: string) => patched(patch).filter(({ kind }) => kind === "HostnameConfig");
  expect(hostnames(`${gone}\n---\n${named}`)).toEqual([
    { apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "off", hostname: "b" },
  ]);
  expect(hostnames(`${named}\n---\n${gone}`)).toEqual([]);
});

test("what a file merges into the main document comes after all it deletes from it", () => {
  const patch = `machine: { certSANs: [b] }
---
machine: { certSANs: { $patch: delete } }
---
machine: { token: { $patch: delete } }`;
  expect(machine(patch)).toMatchObject({ certSANs: ["b"], token: "" });
});

test("a patch replaces the lists Talos replaces", () => {
  expect(cluster("cluster: { network: { podSubnets: [10.1.0.0/16] } }")).toMatchObject({
    network: { podSubnets: ["10.1.0.0/16"], serviceSubnets: ["11.0.0.0/8"] },
  });
});

test("a patch cannot empty a plain value but can switch off a flag", () => {
  const patch = 'machine: { kubelet: { image: "" }, features: { rbac: false } }';
  expect(machine(patch)).toMatchObject({ kubelet: { image: "k:v1" }, features: { rbac: false } });
  expect(machine("machine: { kubelet: { image: null } }")).toMatchObject({ kubelet: { image: "k:v1" } });
});

test("a patch adds to maps, replaces arguments, and joins lists in free-form parts", () => {
  const patch = `machine:
  nodeLabels: { rack: r1 }
  kubelet: { extraArgs: { v: [3, 4] }, extraConfig: { list: [y], maxPods: 200 } }`;
  expect(machine(patch)).toMatchObject({
    nodeLabels: { rack: "r1", zone: "one" },
    kubelet: { extraArgs: { v: [3, 4] }, extraConfig: { list: ["x", "y"], maxPods: 200 } },
  });
});

test("a patch finds a document by kind and name, and brings the ones that are missing", () => {
  const documents = patched(`apiVersion: v1alpha1
kind: HostnameConfig
hostname: cp-1
auto: off
---
apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
provisioning: { maxSize: 10GiB }`);
  expect(documents.map(({ kind }) => kind)).toEqual([undefined, "HostnameConfig", "VolumeConfig"]);
  expect(Object.entries(documents[1] ?? {})).toEqual([
    ["apiVersion", "v1alpha1"],
    ["kind", "HostnameConfig"],
    ["auto", "off"],
    ["hostname", "cp-1"],
  ]);
});

test("$patch: delete removes a key, a document, and nothing else", () => {
  const documents = patched(`machine:
  nodeLabels: { zone: { $patch: delete } }
---
apiVersion: v1alpha1
kind: HostnameConfig
$patch: delete
---
apiVersion: v1alpha1
kind: KubeSpanConfig
$patch: delete`);
  expect(documents).toHaveLength(1);
  expect(documents[0]?.["machine"]).not.toHaveProperty("nodeLabels");
});

test("file permissions keep their octal meaning", () => {
  const patch = "machine: { files: [{ path: /var/a, permissions: 0644, content: x, op: create }] }";
  expect(machine(patch)).toMatchObject({ files: [{ permissions: 0o644 }] });
});

test.each([
  ["machine: { kublet: {} }", 'at "machine.kublet": Talos does not know this key'],
  ["machine: { kubelet: [] }", 'at "machine.kubelet": it must be a map, not a list'],
  ["machine: { certSANs: a }", 'at "machine.certSANs": it must be a list, not a string'],
  ["machine: { type: { a: b } }", 'at "machine.type": it must be a single value, not a map'],
  [
    "machine: { kubelet: { extraConfig: { maxPods: many } } }",
    'at "machine.kubelet.extraConfig.maxPods": it is a number in the config and a string in the patch',
  ],
  [
    "machine: { sysctls: { $patch: delete } }",
    'at "machine.sysctls": the config has nothing there to delete',
  ],
  ["foo: 1", 'it has none of the keys "machine", "cluster" and "kind"'],
  ["hello", "it is neither a part of a machine config nor a JSON patch"],
  ["machine: {}\n---\nmachine: {}", 'it has two documents "v1alpha1"'],
  ["machine: {}\n$patch: delete", "the main document cannot be deleted"],
  [
    "- { op: remove, path: /machine/token }",
    "it is a JSON patch, and Talos takes those only for configs of one document; write it as a part of the config instead",
  ],
])("the patch %j is refused with its name and the reason", (text, why) => {
  const refused: unknown = (() => {
    try {
      return patched("machine: {}", text);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toMatchObject({
    code: "TALOS_PATCH_REFUSED",
    what: 'Cannot apply the patch "patch-2.yaml"',
    why,
  });
});

test("a JSON patch on a single document does all six operations", () => {
  const [document] = patchMachineConfig(base().slice(0, 1), [
    {
      source: "json",
      documents: readDocuments(
        `- { op: test, path: /machine/type, value: worker }
- { op: add, path: /machine/certSANs/0, value: first }
- { op: add, path: /machine/certSANs/-, value: last }
- { op: replace, path: /machine/token, value: u }
- { op: copy, from: /machine/token, path: /machine/nodeLabels/copied }
- { op: move, from: /machine/nodeLabels/zone, path: /machine/nodeLabels/a~1b }
- { op: remove, path: /machine/features }`,
        "json",
      ),
    },
  ]);
  expect(document?.["machine"]).toMatchObject({
    token: "u",
    certSANs: ["first", "a", "last"],
    nodeLabels: { "a/b": "one", copied: "u" },
  });
  expect(document?.["machine"]).not.toHaveProperty("features");
});

test("patchMachineConfig() leaves its input alone", () => {
  const documents = base();
  patchMachineConfig(documents, [{ source: "p", documents: [{ machine: { certSANs: ["z"] } }] }]);
  expect(documents).toEqual(base());
});
