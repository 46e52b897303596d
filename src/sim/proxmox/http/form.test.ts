import { expect, test } from "vitest";
import { decodeForm } from "./server.ts";

test.each([
  ["a=1&b=2", { a: "1", b: "2" }],
  ["description=a=b=c", { description: "a" }],
  ["description=a;tags=b", { description: "a", tags: "b" }],
  ["size=+1G", { size: " 1G" }],
  ["size=%2B1G", { size: "+1G" }],
  ["tags=a&tags=b", { tags: ["a", "b"] }],
  ["d=%C3%A4%0A%E2%9C%93", { d: "ä\n✓" }],
  ["", {}],
])("decodeForm() reads %j as the server does", (text, params) => {
  expect(decodeForm(text)).toEqual(params);
});
