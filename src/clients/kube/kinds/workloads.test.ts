import { expect, test } from "vitest";
import { labelQuery } from "./workloads.ts";

test("labelQuery() writes a selector as a list asks for it", () => {
  expect(labelQuery({})).toBeUndefined();
  expect(labelQuery({ matchLabels: { app: "web", tier: "front" } })).toBe("app=web,tier=front");
  const matchExpressions = [
    { key: "zone", operator: "In" as const, values: ["a", "b"] },
    { key: "tier", operator: "NotIn" as const, values: ["db"] },
    { key: "gpu", operator: "Exists" as const },
    { key: "spot", operator: "DoesNotExist" as const },
  ];
  expect(labelQuery({ matchExpressions })).toBe("zone in (a,b),tier notin (db),gpu,!spot");
});
