import { expect, test } from "vitest";
import { readDocuments } from "../../config/index.ts";
import { removals } from "./removals.ts";
import { removedSettings } from "./removed.ts";

const documents = readDocuments(
  `machine:
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.34.1
    extraArgs: { pod-infra-container-image: "registry.k8s.io/pause:3.10", v: "2" }
    extraConfig: { featureGates: { AnyVolumeDataSource: true } }
cluster:
  apiServer: { extraArgs: { feature-gates: "GangScheduling=true,Other=false" } }
---
apiVersion: v1alpha1
kind: KubeSchedulerConfig
extraArgs: { feature-gates: ["GangScheduling=true"] }
`,
  "cp-1",
);

test("removedSettings() names the flag, the part and the node", () => {
  expect(removedSettings(35, "cp-1", documents)).toEqual([
    "the flag pod-infra-container-image of kubelet on cp-1",
  ]);
});

test("removedSettings() finds feature gates in flags and in the kubelet's own config", () => {
  expect(removedSettings(37, "cp-1", documents)).toEqual([
    "the feature gate GangScheduling of kube-apiserver on cp-1",
    "the feature gate GangScheduling of kube-scheduler on cp-1",
    "the feature gate AnyVolumeDataSource of kubelet on cp-1",
  ]);
});

test("every minor from 1.30 on that can be reached has its row", () => {
  expect(Object.keys(removals).map(Number)).toEqual([30, 31, 32, 33, 34, 35, 36, 37]);
});

test("removedSettings() finds nothing for a minor that came with everything", () => {
  expect(removedSettings(36, "cp-1", documents)).toEqual([]);
});
