import { expect, test } from "vitest";
import { compareConfigs } from "./compare-configs.ts";

const config = `version: v1alpha1
machine:
  type: worker
  token: abcdef.0123456789abcdef
  kubelet: { image: "ghcr.io/siderolabs/kubelet:v1.36.3" }
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: worker-1
`;

test("compareConfigs() finds no difference in order, quoting or indentation", () => {
  const [main = "", hostname = ""] = config.split("---\n");
  const other = `${hostname}---\n${main.replace('"ghcr.io/siderolabs/kubelet:v1.36.3"', "ghcr.io/siderolabs/kubelet:v1.36.3")}`;
  expect(compareConfigs(config, other).differences).toEqual([]);
});

test("compareConfigs() names the path, what is there and what is wanted", () => {
  const wanted = config.replace("v1.36.3", "v1.36.4").replace("hostname: worker-1", "hostname: worker-9");
  expect(compareConfigs(wanted, config).differences).toEqual([
    {
      field: "machine.kubelet.image",
      from: "ghcr.io/siderolabs/kubelet:v1.36.3",
      to: "ghcr.io/siderolabs/kubelet:v1.36.4",
    },
    { field: "HostnameConfig.hostname", from: "worker-1", to: "worker-9" },
  ]);
});

test("compareConfigs() says that a secret differs, never what it is", () => {
  const { differences } = compareConfigs(config.replace("abcdef.0", "zzzzzz.0"), config);
  expect(differences).toEqual([{ field: "machine.token", from: "(secret)", to: "(another secret)" }]);
});
