import { expect, test } from "vitest";
import { encodeMachineConfig } from "../config-document.ts";
import { readDocuments } from "../patch/read-patch.ts";
import { withRunningNames } from "./certificate-names.ts";

const inOne = (...names: string[]) =>
  `machine: { type: controlplane, certSANs: [${names.join(", ")}] }
cluster: { apiServer: { certSANs: [${names.join(", ")}] } }
`;
const inTwo = (...names: string[]) =>
  `machine: { type: controlplane, certSANs: [${names.join(", ")}] }
---
apiVersion: v1alpha1
kind: KubeAPIServerConfig
certExtraSANs: [${names.join(", ")}]
`;

test.each([
  ["before contract 1.14", inOne],
  ["from contract 1.14 on", inTwo],
])("withRunningNames(), %s, keeps names that may stay, and drops all others", (_, config) => {
  const merged = (wanted: string[], running: string[]): string =>
    encodeMachineConfig(
      withRunningNames(
        readDocuments(config(...wanted), "cp-1"),
        readDocuments(config(...running), "cp-1"),
        (name) => name.startsWith("10."),
      ),
    );
  const written = (...names: string[]): string =>
    encodeMachineConfig(readDocuments(config(...names), "cp-1"));
  expect(merged(["10.0.0.1"], ["10.0.0.2", "10.0.0.1"])).toBe(written("10.0.0.2", "10.0.0.1"));
  expect(merged(["10.0.0.1"], ["10.0.0.1", "old.lan"])).toBe(written("10.0.0.1"));
  // The API server starts again all the same, so it gets no more than it should have.
  expect(merged(["10.0.0.1", "new.lan"], ["10.0.0.1", "10.0.0.2"])).toBe(written("10.0.0.1", "new.lan"));
  expect(merged(["10.0.0.1"], [])).toBe(written("10.0.0.1"));
});
