import { beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { readPatch } from "./patch/read-patch.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});

const patched = (fields: Pick<MachineIntent, "contract" | "role" | "talos">, ...texts: string[]) =>
  machineConfig(
    {
      ...fields,
      cluster: { name: "a", endpoint: "https://a:6443", kubernetes: "1.35.0" },
      patches: texts.map((text, index) => readPatch(text, `p${index + 1}.yaml`)),
    },
    bundle,
  );

test.each([
  ["machine: { kubelet: { extraArgs: { v: '2' } } }", "machine.kubelet", "KubeletConfig"],
  ["cluster: { network: { cni: { name: none } } }", "cluster.network.cni", "KubeFlannelCNIConfig"],
  ["cluster: { network: { dnsDomain: a.b } }", "cluster.network", "KubeNetworkConfig"],
  ["machine: { nodeLabels: { a: b } }", "machine.nodeLabels", "KubeNodeConfig"],
  ["machine: { network: { hostname: a } }", "machine.network.hostname", "HostnameConfig"],
  ["cluster: { apiServer: { certSANs: [a] } }", "cluster.apiServer", "KubeAPIServerConfig"],
])("on contract 1.14 the older patch %s is refused, naming what replaced %s", (text, path, kind) => {
  const config = () =>
    patched({ contract: "1.14", role: "control-plane" }, `# all\n${text}`, "machine: { certSANs: [a] }");
  expect(config).toThrowError(
    expect.objectContaining({
      code: "TALOS_PATCH_OUTDATED",
      what: 'Cannot apply the patch "p1.yaml"',
      why: `line 2, at "${path}": the config has a document "${kind}", and Talos refuses both together`,
      next: expect.stringContaining(`kind "${kind}"`),
    }),
  );
});

test("an older field may come in when the document that replaced it goes out", () => {
  const config = patched(
    { contract: "1.14", role: "control-plane" },
    "cluster: { coreDNS: { disabled: true } }",
    "apiVersion: v1alpha1\nkind: KubeCoreDNSConfig\n$patch: delete",
  );
  expect(config[0]).toHaveProperty("cluster.coreDNS.disabled", true);
});

const volume = `machine: { certSANs: [a] }
---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning: { minSize: 10GiB }
mount:
  secure: true`;

test("a key newer than the running Talos is refused with patch, line and path", () => {
  expect(() => patched({ contract: "1.12", role: "worker", talos: "1.12.11" }, volume)).toThrowError(
    /"p1.yaml": line 7, at "mount": Talos knows this key from 1\.13 on, and the nodes run 1\.12/,
  );
  expect(() => patched({ contract: "1.12", role: "worker", talos: "1.13.9" }, volume)).not.toThrow();
});

test("a key no Talos knows is refused, also inside small documents and list items", () => {
  const refuse = (text: string) => () => patched({ contract: "1.13", role: "worker" }, text);
  expect(refuse("machine:\n  sysctl: { a: b }")).toThrowError(
    /line 2, at "machine.sysctl": Talos does not know/,
  );
  expect(refuse("apiVersion: v1alpha1\nkind: HostnameConfig\nhostnam: a")).toThrowError(
    /line 3, at "hostnam"/,
  );
  expect(refuse("machine:\n  kernel:\n    modules:\n      - name: a\n        params: [b]")).toThrowError(
    /line 5, at "machine.kernel.modules\[0\].params"/,
  );
});

test("a kind is refused where the nodes do not know it or may not have it", () => {
  const bring = (kind: string) => `debug: true\n---\napiVersion: v1alpha1\nkind: ${kind}`;
  expect(() => patched({ contract: "1.13", role: "worker" }, bring("KubeCoreDNSConfig"))).toThrowError(
    expect.objectContaining({
      code: "TALOS_KIND_UNKNOWN",
      why: "Talos knows it from 1.14 on, and the nodes run 1.13",
      next: expect.stringContaining('the patch "p1.yaml" in line 4'),
    }),
  );
  expect(() => patched({ contract: "1.14", role: "worker" }, bring("KubeCoreDNSConfig"))).toThrowError(
    /only control planes may have it/,
  );
});

test("a JSON patch names the operation that fails", () => {
  const operations =
    "- op: add\n  path: /machine/sysctls\n  value: {}\n- op: remove\n  path: /machine/nothing";
  expect(() => patched({ contract: "1.11", role: "worker" }, operations)).toThrowError(
    /"p1.yaml": line 4, at "\/machine\/nothing": the config has nothing there/,
  );
});
