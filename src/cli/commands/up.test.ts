import { expect, test } from "vitest";
import type { Consequence, Plan } from "../../plan/index.ts";
import { confirmChanges } from "./up.ts";
import type { Shell } from "../shell.ts";

/** As in a script: standard input is closed. */
const script = { canAsk: false } as Shell;

const planOf = (consequence: Consequence): Plan => ({
  changes: [
    {
      node: {
        ...{ id: "lab/config/cp-1", kind: "talos/config", name: "config of cp-1", want: {}, after: [] },
        ...{ group: "nodes", stage: "distro", cluster: "lab" },
      },
      action: "update",
      consequence,
      fields: [],
      have: {},
    },
  ],
  same: [],
  refused: [],
  found: {},
});

test.each(["create", "hot"] as const)("%s goes on by itself, without a terminal too", async (consequence) => {
  expect(await confirmChanges(script, { file: "lab.yaml" }, planOf(consequence))).toBe(true);
});

test.each(["disturb", "reboot", "roll", "replace", "remove", "data"] as const)(
  "%s needs a word, and ends without a terminal [day-two 2]",
  async (consequence) => {
    const plan = planOf(consequence);
    await expect(confirmChanges(script, { file: "lab.yaml" }, plan)).rejects.toMatchObject({
      code: "RUN_NOT_CONFIRMED",
    });
    expect(await confirmChanges(script, { file: "lab.yaml", yes: true }, plan)).toBe(true);
  },
);
