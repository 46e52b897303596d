import { expect, test } from "vitest";
import { readDocuments } from "../patch/read-patch.ts";
import {
  imageInVersion,
  imageOf,
  versionOfImage,
  withImage,
  withRunningImages,
} from "./kubernetes-images.ts";

const old = (version: string) =>
  readDocuments(
    `machine: { kubelet: { image: "ghcr.io/siderolabs/kubelet:v${version}", extraArgs: { v: "2" } } }
cluster:
  apiServer: { image: "registry.k8s.io/kube-apiserver:v${version}" }
  proxy: { disabled: true, image: "registry.k8s.io/kube-proxy:v${version}" }
`,
    "cp-1",
  );
const newer = readDocuments(
  `machine: { type: controlplane }
---
apiVersion: v1alpha1
kind: KubeletConfig
image: ghcr.io/siderolabs/kubelet:v1.36.3-fat
`,
  "cp-1",
);

test("imageOf() finds an image in either form of config, and none of a part that is switched off", () => {
  expect(imageOf(old("1.35.4"), "kube-apiserver")).toBe("registry.k8s.io/kube-apiserver:v1.35.4");
  expect(imageOf(newer, "kubelet")).toBe("ghcr.io/siderolabs/kubelet:v1.36.3-fat");
  expect(imageOf(old("1.35.4"), "kube-proxy")).toBeUndefined();
  expect(imageOf(newer, "kube-scheduler")).toBeUndefined();
});

test.each([
  ["ghcr.io/siderolabs/kubelet:v1.35.4", "ghcr.io/siderolabs/kubelet:v1.36.3"],
  ["registry.lan:5000/kubelet:v1.35.4-fat", "registry.lan:5000/kubelet:v1.36.3-fat"],
  ["k/kube-apiserver:v1.36.0-rc.1@sha256:0123abcd", "k/kube-apiserver:v1.36.3"],
])("imageInVersion() of %s is %s", (image, next) => {
  expect(imageInVersion(image, "1.36.3")).toBe(next);
  expect(versionOfImage(next)).toBe("1.36.3");
});

test("withImage() changes one image and nothing beside it", () => {
  const changed = withImage(old("1.35.4"), "kubelet", "ghcr.io/siderolabs/kubelet:v1.36.3");
  expect(imageOf(changed, "kubelet")).toBe("ghcr.io/siderolabs/kubelet:v1.36.3");
  expect(imageOf(changed, "kube-apiserver")).toBe("registry.k8s.io/kube-apiserver:v1.35.4");
  expect(JSON.stringify(changed)).toContain('"extraArgs":{"v":"2"}');
});

test("withRunningImages() takes every part that runs from the running config", () => {
  const kept = withRunningImages(old("1.36.3"), old("1.35.4"));
  expect([imageOf(kept, "kubelet"), imageOf(kept, "kube-apiserver")]).toEqual([
    "ghcr.io/siderolabs/kubelet:v1.35.4",
    "registry.k8s.io/kube-apiserver:v1.35.4",
  ]);
});
