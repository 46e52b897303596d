import { expect, test } from "vitest";
import { coldChanges } from "./apply-config.ts";

const config = `version: v1alpha1
debug: false
machine:
  type: worker
  token: a
  sysctls: { x: "1" }
  features: { rbac: true, kubePrism: { port: 7445 } }
cluster:
  clusterName: lab
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: a
`;

test.each([
  ["the cluster section", config.replace("lab", "other"), []],
  ["a document", config.replace("hostname: a", "hostname: b"), []],
  ["sysctls and the port of KubePrism", config.replace('"1"', '"2"').replace("7445", "7446"), []],
  ["the token", config.replace("token: a", "token: b"), [".machine.token"]],
  ["another feature", config.replace("rbac: true", "rbac: false"), [".machine.features.rbac"]],
  ["a new section", config.replace("  token", "  env: { A: b }\n  token"), [".machine.env"]],
  ["nothing but comments", `# by hand\n${config}`, []],
])("coldChanges() of %s", (_, changed, expected) => {
  expect(coldChanges(config, changed)).toEqual(expected);
});
