import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { homelabSteps, step } from "../../../../test/support/screens/homelab-plan.ts";
import type { PlannedStep } from "../../../plan/index.ts";
import { renderPlan } from "./render-plan.ts";

const template = (name: string, vmid: number, more: Partial<PlannedStep> = {}): PlannedStep =>
  step("template", name, {
    kind: "proxmox/template",
    group: "images",
    host: "hydra",
    facts: { image: "Talos 1.13.9", vmid },
    ...more,
  });

/** The machines of the sample cluster, made as `words` says for each role. */
const madeFrom = (words: (role: string) => string): PlannedStep[] =>
  homelabSteps().map((each) =>
    each.kind === "proxmox/machine"
      ? { ...each, facts: { ...each.facts, from: words(each.role ?? "") } }
      : each,
  );

const plan = (steps: PlannedStep[], same = 0): string =>
  renderPlan(
    {
      command: "plan",
      file: "slipway.yaml",
      readAgoMs: 900,
      cluster: "homelab",
      plan: { steps, same, refused: [] },
    },
    testScreen(),
  );

test("a first plan tells templates apart from images, and what machines are clones of", () => {
  const machines = madeFrom((role) => `clone of template ${role === "worker" ? 999 : 998}`);
  const text = plan([template("hydra-control-plane", 998), template("hydra-worker", 999), ...machines]);
  expect(text).toContain("create  3 images    Talos 1.13.9");
  expect(text).toContain("create  2 templates  one per role, VMID 998-999");
  expect(text).toContain("clones of templates 998-999");
});

test("a first plan says that machines install themselves from an ISO", () => {
  expect(plan(madeFrom(() => "ISO"))).toContain("installed from an ISO");
});

test("a later plan names a template that comes and one that goes", () => {
  const gone = template("hydra-998", 998, { action: "remove", consequence: "remove" });
  const text = plan([template("hydra-control-plane", 1000), gone], 20);
  expect(text).toMatch(/create {3}template hydra-control-plane/);
  expect(text).toMatch(/remove {3}template hydra-998/);
});
