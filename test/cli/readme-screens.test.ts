import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { putBetweenMarks } from "../../scripts/between-marks.ts";
import { drawRun, recordRun } from "../../scripts/draw-run.ts";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

/** What README shows of the program is what the program shows. `UPDATE_GOLDEN=1` draws it again. */

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(resolve(root, "README.md"), "utf8");

test("the picture of a run is drawn from a run", () => {
  const picture = drawRun(recordRun());
  expectGolden(picture, root, "docs/images/up.svg");
  expect(Buffer.byteLength(picture)).toBeLessThanOrEqual(60 * 1024);
  expect(readme).toContain("(docs/images/up.svg)");
});

test("the plan is that of its own file with two numbers changed", async () => {
  const [, sample = ""] = /```yaml\n([^]*?)```/.exec(readme) ?? [];
  const file = sample.replace("AA:BB:…", Array.from({ length: 32 }, () => "AA").join(":"));
  const changed = file.replace("count: 2, cores: 4, memory: 8GiB", "count: 3, cores: 4, memory: 12GiB");
  expect(changed).not.toBe(file);
  const [before, after] = [fleetOf(file, "slipway.yaml"), fleetOf(changed, "slipway.yaml")];
  await using site = await rehearsalSite(before);
  const { runReport, events } = await site.up(before);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const plan = await site.plan(after);
  const screen = testScreen({ columns: 80 });
  const shown = { command: "plan", file: "slipway.yaml", clusters: ["homelab"], plan, readAgoMs: 400 };
  const block = `\`\`\`text\n$ slipway plan\n${showPlan(shown, screen)}\`\`\``;
  expectGolden(putBetweenMarks(readme, "plan", block), root, "README.md");
});
