import { expect, test } from "vitest";
import { artifactNames, artifactUrl, checksumIn, compareK3s, kubernetesOf } from "../index.ts";
import { versionIn } from "./release.ts";

test("compareK3s() orders candidates before releases, and rebuilds after what they rebuild", () => {
  const ordered = [
    "1.33.13+k3s1",
    "1.33.13+k3s2",
    "1.36.3+k3s10",
    "1.36.4-rc1+k3s1",
    "1.36.4-rc2+k3s1",
    "1.36.4+k3s1",
  ];
  expect(ordered.toReversed().toSorted(compareK3s)).toEqual(ordered);
  expect(compareK3s("v1.36.3+k3s1", "1.36.3+k3s1")).toBe(0);
  expect(kubernetesOf("v1.36.3+k3s1")).toBe("1.36.3");
});

test("artifactUrl() writes the plus of a version as addresses want it", () => {
  expect(artifactUrl("1.36.3+k3s1", "k3s")).toBe(
    "https://github.com/k3s-io/k3s/releases/download/v1.36.3%2Bk3s1/k3s",
  );
  expect(artifactUrl("1.36.3+k3s1", "k3s-arm64", "https://mirror.lan/k3s/")).toBe(
    "https://mirror.lan/k3s/v1.36.3%2Bk3s1/k3s-arm64",
  );
  expect(artifactNames("arm64")).toEqual({
    binary: "k3s-arm64",
    images: "k3s-airgap-images-arm64.tar.zst",
    checksums: "sha256sum-arm64.txt",
  });
});

test("checksumIn() takes the line of exactly this file", () => {
  const sums = ["a", "b", "c"].map((digit) => digit.repeat(64));
  const text = `${sums[0]}  k3s-airgap-images-amd64.tar.zst\n${sums[1]}  k3s\n${sums[2]} *k3s-arm64\r\n`;
  expect(checksumIn(text, "k3s")).toBe(sums[1]);
  expect(checksumIn(text, "k3s-arm64")).toBe(sums[2]);
  expect(checksumIn(text, "images")).toBeUndefined();
});

test("versionIn() reads what the program prints about itself", () => {
  expect(versionIn("k3s version v1.36.3+k3s1 (0a1b2c3d)\ngo version go1.25.1\n")).toBe("1.36.3+k3s1");
  expect(versionIn("command not found")).toBeUndefined();
});
