import { expect, test } from "vitest";
import { keyOrder } from "./key-order.ts";

test.each([
  [
    ["a10", "a9", "a1"],
    ["a1", "a9", "a10"],
  ],
  [
    ["c0443u", "c0t"],
    ["c0t", "c0443u"],
  ],
  [
    ["ab", "a-b", "a.b", "a/b"],
    ["a-b", "a.b", "a/b", "ab"],
  ],
  [
    ["b", "a", "ab"],
    ["a", "ab", "b"],
  ],
  [
    ["x1y", "x1", "x"],
    ["x", "x1", "x1y"],
  ],
  [
    ["v10.1", "v9.2", "v9.10"],
    ["v9.2", "v9.10", "v10.1"],
  ],
])("keyOrder() sorts %j as Go's YAML writer does", (keys, sorted) => {
  expect(keys.toSorted(keyOrder)).toEqual(sorted);
});
