import { expect, test } from "vitest";
import { editDistance, listSome, suggest } from "./suggest.ts";

test.each([
  ["controlPlane", "controlPlanes", 1],
  ["hydar", "hydra", 1],
  ["", "abc", 3],
  ["kitten", "sitting", 3],
])("editDistance(%j, %j) is %i", (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
});

test("suggest() finds the near miss, whatever its case, and nothing far away", () => {
  const known = ["cores", "count", "memory", "controlPlanes"];
  expect(suggest("ControlPlane", known)).toBe("controlPlanes");
  expect(suggest("memroy", known)).toBe("memory");
  expect(suggest("disk", known)).toBeUndefined();
  expect(suggest("x", known)).toBeUndefined();
});

test("listSome() counts what it does not name", () => {
  expect(listSome(["a", "b", "c"], 3)).toBe("a, b, c");
  expect(listSome(["a", "b", "c"], 1)).toBe("a and 2 more");
});
