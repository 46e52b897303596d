import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test("what a terminal would obey is spelled out, and all else stays [attack 15]", () => {
  expect(visibleText("cp-1\u202e1-pc\u202c")).toBe(String.raw`cp-1\u202e1-pc\u202c`);
  expect(visibleText("\u2066a\u2069 \u001b[2Jgone \u009b31m \u0007\u007f\u200b")).toBe(
    String.raw`\u2066a\u2069 \u001b[2Jgone \u009b31m \u0007\u007f\u200b`,
  );
  expect(visibleText("\u{e0041}")).toBe(String.raw`\udb40\udc41`);
  expect(visibleText("Grüße,\t世界 🚀\nnext line")).toBe("Grüße,\t世界 🚀\nnext line");
});

test("JSON stays the same data [attack 15]", () => {
  const data = { why: "a\u202eb\u001b[31m\u0085\u{e0041}" };
  expect(JSON.parse(visibleText(JSON.stringify(data)))).toEqual(data);
});
