import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { renderPreflight } from "./render-preflight.ts";

test("renderPreflight() says whole that nothing was changed, also where that takes a second line", () => {
  const skipped = Array.from({ length: 18 }, (_, index) => ({
    title: `Check ${index}`,
    status: "skipped" as const,
  }));
  const failed = { title: "Token is accepted", failing: "Token is refused", status: "failed" as const };
  expect(renderPreflight([failed, ...skipped], testScreen({ columns: 80 }))).toBe(
    [
      "✗ Token is refused",
      "✗ 0 of 1 preflight checks passed, 18 skipped because of them; nothing was",
      "  changed",
      "",
    ].join("\n"),
  );
});
