import { expect, test } from "vitest";
import { killSweep } from "../support/day-two/kill-sweep.ts";
import * as stories from "../support/day-two/stories.ts";
import { isFull, takesEvery, whole } from "../support/whole-sweep.ts";

/** What is done to clusters that run is killed on its way, again and again; each next run goes on, and nothing is lost or twice. */

/** Every how many places a sweep of every place kills: about a minute of processor time each. */
const stride: Partial<Record<keyof typeof stories, number>> = {
  kubernetesMinor: 3,
  controlPlanesByCount: 2,
};

const named = Object.entries(stories) as [keyof typeof stories, stories.Told][];

test.each(named.filter(([name]) => name.includes(process.env["SLIPWAY_SWEEP"] ?? "")))(
  "%s, killed at its events and at its calls, comes to its end",
  { ...whole, timeout: 900_000 },
  async (name, story) => {
    const every = stride[name] ?? 1;
    const { places } = await killSweep(story, { every: takesEvery ? every : (isFull ? 5 : 8) * every });
    expect(places.length).toBeGreaterThan(2);
  },
);

test(
  "the shared address is never handed over to nobody, however often an upgrade of API servers is killed",
  whole,
  async () => {
    const at = /^waiting lab\/cluster\/kubernetes for the static pods of cp-/;
    const { places } = await killSweep(stories.kubernetesMinor, { at });
    expect(places.length).toBe(3);
  },
);

test("one control plane becomes three, killed when a config is taken", whole, async () => {
  const { controlPlanesByCount: story } = stories;
  const at = /^after talos .*ApplyConfiguration|^finished lab\/config\/cp-3/;
  const { places } = await killSweep({ ...story, legs: story.legs.slice(0, 1) }, { at });
  expect(places.length).toBe(2);
});

test("zone labels follow machines that an evacuation has moved before it was killed", whole, async () => {
  const { evacuation: story } = stories;
  const at = /^finished lab\/config\/worker-1|^finished lab\/move\/cp-1/;
  const { places } = await killSweep({ ...story, legs: story.legs.slice(0, 1) }, { at });
  expect(places.length).toBe(2);
});

test("a dead control plane is made again once, however often that is killed", whole, async () => {
  const at = /^(finished|before|after) .*(member|machine|EtcdRemove|qemu)/;
  const { places } = await killSweep(stories.deadControlPlane, { at, every: 3 });
  expect(places.length).toBeGreaterThan(1);
});

test(
  "a worker comes back from its backup with the data it had last, however often that is killed",
  whole,
  async () => {
    const at = /^(finished|before|after) .*(backup|machine\/worker-1|vzdump|qemu|move_disk)/;
    const { places } = await killSweep(stories.workerFromBackup, { at, every: 8 });
    expect(places.length).toBeGreaterThan(1);
  },
);
