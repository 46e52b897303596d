import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chartNotFound, renderFailed } from "../errors.ts";
import { secretTexts, redactTexts } from "../redact-values.ts";
import { digestManifests, hideSecrets, renderCached, splitManifests, type RenderKey } from "../index.ts";
import { readReleases, splitChart } from "../release.ts";

const text = `---
# Source: x/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {mode: 0644, isOn: yes, day: 2026-11-16, time: 12:30:45}
---
# nothing
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Secret, metadata: {name: b}, data: {token: aHVudGVyMg==}}
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "slipway-render-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("splitManifests() reads YAML as Kubernetes does, and opens lists", () => {
  const [first, second, ...rest] = splitManifests(text);
  expect(first?.["data"]).toEqual({ mode: 0o644, isOn: true, day: "2026-11-16", time: "12:30:45" });
  expect(second).toMatchObject({ kind: "Secret", metadata: { name: "b" } });
  expect(rest).toEqual([]);
  expect(splitManifests("")).toEqual([]);
  expect(() => splitManifests("a: [")).toThrow(
    expect.objectContaining({ code: "HELM_MANIFEST_UNREADABLE" }) as Error,
  );
});

test("digestManifests() sees neither order nor layout, but every value", () => {
  const objects = splitManifests(text);
  const turned = splitManifests(text).toReversed();
  expect(digestManifests(turned)).toBe(digestManifests(objects));
  expect(digestManifests(splitManifests(text.replace("yes", "no")))).not.toBe(digestManifests(objects));
});

test("hideSecrets() keeps a change visible and the secret not", () => {
  const [, hidden] = hideSecrets(splitManifests(text));
  expect(hidden?.["data"]).toEqual({ token: expect.stringMatching(/^hidden-[0-9a-f]{4}$/) as string });
  const [, other] = hideSecrets(splitManifests(text.replace("aHVudGVyMg==", "c29tZXRoaW5n")));
  expect(other).not.toEqual(hidden);
});

const key: RenderKey = {
  name: "cilium",
  namespace: "kube-system",
  chart: "sha256:1",
  values: { a: 1, b: 2 },
  kubeVersion: "1.36.3",
};

test("renderCached() renders once, without secrets on the disk", async () => {
  let count = 0;
  const render = async () => {
    count += 1;
    return text;
  };
  const first = await renderCached(folder, key, render);
  const again = await renderCached(folder, { ...key, values: { b: 2, a: 1 } }, render);
  expect(again).toEqual(first);
  expect(count).toBe(1);
  await renderCached(folder, { ...key, kubeVersion: "1.35.0" }, render);
  expect(count).toBe(2);
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("aHVudGVyMg==");
  }
});

test("renderCached() says that it cannot know yet, but not that values are wrong", async () => {
  const missing = chartNotFound({ chart: { source: { oci: "oci://x/y" }, version: "1" }, why: "not found" });
  expect(await renderCached(folder, key, () => Promise.reject(missing))).toEqual({
    isKnown: false,
    why: missing,
  });
  const wrong = renderFailed({ release: "cilium", why: "cilium/templates/a.yaml:3:4" });
  await expect(renderCached(folder, key, () => Promise.reject(wrong))).rejects.toBe(wrong);
});

test("hideWords() covers what fields named like secrets hold, line by line", () => {
  const words = secretTexts(
    { config: { clusters: [{ url: "https://pve", token_secret: "abcd-efgh" }] }, n: 1 },
    ["first line\nsecond line"],
  );
  expect(redactTexts("at https://pve: abcd-efgh and second line", words)).toBe(
    "at https://pve: (hidden) and (hidden)",
  );
});

test("releases are read from both of helm's lists", () => {
  const line = {
    name: "cilium",
    namespace: "kube-system",
    revision: "3",
    updated: "2026-11-16 04:21:06.123456789 +0100 CET",
    status: "deployed",
    chart: "csi-driver-nfs-4.13.4",
    app_version: "4.13.4",
  };
  expect(readReleases(JSON.stringify([line]))).toEqual([
    {
      name: "cilium",
      namespace: "kube-system",
      revision: 3,
      status: "deployed",
      chart: "csi-driver-nfs",
      version: "4.13.4",
      appVersion: "4.13.4",
      updatedAt: Date.UTC(2026, 10, 16, 3, 21, 6, 123),
    },
  ]);
  expect(splitChart("cert-manager-v1.21.1")).toEqual({ chart: "cert-manager", version: "v1.21.1" });
});
