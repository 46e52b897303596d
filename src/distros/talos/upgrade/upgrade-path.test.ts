import { expect, test } from "vitest";
import { fleetOf } from "../../../../test/support/sim/rehearsal-site.ts";
import { compareVersions, kubernetesPath, takesKubernetes, talosPath, upgradesOf } from "./upgrade-path.ts";

test.each([
  ["1.13.9", "1.13.9", { kind: "there" }],
  ["1.13.8", "1.13.9", { kind: "direct" }],
  ["1.12.11", "1.13.9", { kind: "direct" }],
  ["1.13.9", "1.14.0-rc.1", { kind: "direct" }],
  ["1.13.9", "1.13.8", { kind: "back" }],
  ["1.14.0", "1.13.9", { kind: "back" }],
  ["1.11.6", "1.13.9", { kind: "skips", over: ["1.12.11", "1.13.9"] }],
  ["1.10.9", "1.13.0", { kind: "skips", over: ["1.11.6", "1.12.11", "1.13.0"] }],
])("talosPath() from %s to %s", (from, to, path) => {
  expect(talosPath(from, to)).toEqual(path);
});

test("kubernetesPath() names a version of every minor on the way", () => {
  expect(kubernetesPath("1.33.6", "1.36.3")).toEqual({ kind: "skips", over: ["1.34.1", "1.35.4", "1.36.3"] });
  expect(kubernetesPath("1.36.3", "1.39.0")).toEqual({ kind: "skips", over: ["1.37", "1.38", "1.39.0"] });
  expect(kubernetesPath("1.35.4", "1.36.3")).toEqual({ kind: "direct" });
});

test("compareVersions() compares numbers, not letters", () => {
  expect(compareVersions("1.12.11", "1.12.9")).toBeGreaterThan(0);
  expect(compareVersions("1.9.6", "1.13.0")).toBeLessThan(0);
});

test("takesKubernetes() knows the six minors of each Talos", () => {
  expect([takesKubernetes("1.13.9", "1.30.1"), takesKubernetes("1.13.9", "1.31.0")]).toEqual([false, true]);
  expect(takesKubernetes("1.13.9", "1.37.0")).toBe(false);
  expect(takesKubernetes("1.99.0", "1.37.0")).toBeUndefined();
});

const cluster = (talos: string, kubernetes: string) => {
  const [found] = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: ${talos} }
    kubernetes: ${kubernetes}
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
`).clusters;
  if (!found) throw new Error("no cluster");
  return found;
};

test.each([
  ["1.11.6", "1.34.1", "1.12.11", "1.35.4"],
  ["1.12.4", "1.35.4", "1.13.9", "1.36.3"],
  ["1.13.9", "1.36.3", "1.14.1", undefined],
  ["1.14.1", "1.36.3", undefined, undefined],
  // 1.13 does not take 1.30, so Talos stays within its minor until Kubernetes has moved.
  ["1.12.4", "1.30.1", "1.12.11", "1.31.4"],
])("from Talos %s and Kubernetes %s to %s and %s", (talos, kubernetes, nextTalos, nextKubernetes) => {
  const [first, second] = upgradesOf(cluster(talos, kubernetes));
  const running = { talos, kubernetes };
  expect(first?.newestAfter(running, {})).toBe(nextTalos);
  const targets = nextTalos === undefined ? {} : { talos: nextTalos };
  expect(second?.newestAfter(running, targets)).toBe(nextKubernetes);
});
