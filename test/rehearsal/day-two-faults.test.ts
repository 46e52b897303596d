import { expect, test } from "vitest";
import { faultSweep } from "../support/day-two/fault-sweep.ts";
import * as stories from "../support/day-two/stories.ts";
import { takesEvery, whole } from "../support/whole-sweep.ts";

/** Every story of day two meets faults at its calls, one in each run, and comes to its end all the same. */

const faultsPerLeg = takesEvery ? 10 : 3;

test.each(Object.entries(stories).filter(([name]) => name.includes(process.env["SLIPWAY_SWEEP"] ?? "")))(
  "%s",
  { ...whole, timeout: 900_000 },
  async (_name, story) => {
    const { struck } = await faultSweep(story, faultsPerLeg);
    expect(struck.length).toBeGreaterThanOrEqual(story.legs.length);
  },
);
