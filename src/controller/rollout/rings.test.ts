import { expect, test } from "vitest";
import type { UpgradableVersion } from "../../plan/index.ts";
import type { SlipwayCluster } from "../objects/index.ts";
import { ringsOf, standingOf, versionsFor } from "./rings.ts";

const cluster = (name: string, status?: Partial<SlipwayCluster["status"]>): SlipwayCluster => ({
  apiVersion: "slipway.dev/v1alpha1",
  kind: "SlipwayCluster",
  metadata: { name, generation: 2 },
  spec: { hosts: "rack", cluster: {} },
  ...(status && { status: status as NonNullable<SlipwayCluster["status"]> }),
});
const fleet = (count: number): SlipwayCluster[] =>
  Array.from({ length: count }, (_, index) => cluster(`c-${String(index).padStart(3, "0")}`));
const sizes = (rings: Parameters<typeof ringsOf>[0], count: number): number[] =>
  ringsOf(rings, fleet(count)).map(({ members }) => members.length);

test("rings take their count, their share, and the last one all that are left", () => {
  const rings = [
    { name: "canary", clusters: 1 },
    { name: "some", clusters: "10%" },
    { name: "all", clusters: "100%" },
  ];
  expect(sizes(rings, 100)).toEqual([1, 10, 89]);
  expect(sizes(rings, 14)).toEqual([1, 2, 11]);
  expect(sizes(rings, 2)).toEqual([1, 1, 0]);
  expect(sizes(rings, 0)).toEqual([0, 0, 0]);
  // Nobody is left out, whatever the last ring says.
  expect(sizes([{ name: "few", clusters: 3 }], 10)).toEqual([10]);
});

const upgrade = (name: string, wanted: string, known: string[]): UpgradableVersion => ({
  ...{ name, wanted, known, title: name, toldAs: "kubernetes", path: [name, "version"] },
  compare: (a, b) => a.localeCompare(b, "en", { numeric: true }),
  newestAfter: () => undefined,
});

test("a cluster takes the versions it has, and with patches only those of its own minor version", () => {
  const upgrades = [
    upgrade("os", "1.12.3", ["1.11.9", "1.12.11", "1.13.9"]),
    upgrade("api", "1.36.3", ["1.36.3"]),
  ];
  expect(versionsFor({ versions: { os: "1.13.9", other: "2.0.0" } }, upgrades)).toEqual([
    { path: ["os", "version"], value: "1.13.9" },
  ]);
  expect(versionsFor({ patches: true }, upgrades)).toEqual([{ path: ["os", "version"], value: "1.12.11" }]);
  expect(versionsFor({ versions: { api: "1.36.3" } }, upgrades)).toEqual([]);
});

const condition = (status: "True" | "False" | "Unknown", reason: string) => ({
  ...{ type: "Ready" as const, status, reason, message: "", observedGeneration: 2, lastTransitionTime: "" },
});
const seen = (status: "True" | "False" | "Unknown", reason: string, more = {}) =>
  cluster("a", {
    observedGeneration: 2,
    reachedGeneration: 2,
    conditions: [condition(status, reason)],
    ...more,
  });

test("a cluster counts as updated when it has been looked at since, and as failed when its run or its nodes did", () => {
  expect(standingOf(seen("True", "AsWanted"), false)).toBe("untouched");
  expect(standingOf(seen("True", "AsWanted"), true)).toBe("updated");
  expect(standingOf(seen("True", "AsWanted", { observedGeneration: 1 }), true)).toBe("changing");
  expect(standingOf(seen("False", "RunInProgress"), true)).toBe("changing");
  expect(standingOf(seen("Unknown", "Unreachable"), true)).toBe("changing");
  expect(standingOf(seen("False", "AwaitingApproval"), true)).toBe("changing");
  for (const reason of ["RunFailed", "Invalid", "ChangesRefused", "NodesNotReady"])
    expect(standingOf(seen("False", reason), true)).toBe("failed");
});
