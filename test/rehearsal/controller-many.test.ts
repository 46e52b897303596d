import { expect, test } from "vitest";
import { faultsContained } from "../../bench/fleet/faults.ts";
import { leadersKilled } from "../../bench/fleet/leaders.ts";
import { planAll } from "../../bench/fleet/plan-all.ts";
import { rollOut } from "../../bench/fleet/roll-out.ts";
import { soak } from "../../bench/fleet/soak.ts";
import { steady } from "../../bench/fleet/steady.ts";
import { startAmongWell, stormOfChanges } from "../../bench/fleet/storm.ts";
import { whole } from "../support/whole-sweep.ts";

/** The stages that `npm run bench -- fleet` takes with many clusters, with a few. */

test("clusters on the same hosts are planned from one survey", async () => {
  const few = await planAll({ clusters: 2, nodes: 3, groups: 1, hosts: 2 });
  const many = await planAll({ clusters: 8, nodes: 3, groups: 1, hosts: 2 });
  expect(many.steps).toBe(4 * few.steps);
  expect(many.hostCalls - few.hostCalls).toBeLessThan(few.hostCalls);
});

test("what was changed while no controller ran is planned soon, and no host is overrun", async () => {
  const storm = await stormOfChanges({ clusters: 10, nodes: 3, groups: 2, hosts: 2 });
  expect(storm.convergedSeconds).toBeLessThan(600);
  expect(storm.mostAtOnce).toBeLessThanOrEqual(32);
  expect(storm.refusals).toBe(0);
});

test("a start among clusters that are well is spread over ten minutes", whole, async () => {
  const spread = await startAmongWell({ clusters: 12, nodes: 1, groups: 2, hosts: 2 });
  expect(spread.busiestMinuteShare).toBeLessThan(0.6);
  expect(spread.lastSeconds).toBeGreaterThan(120);
  expect(spread.lastSeconds).toBeLessThanOrEqual(600);
});

test(
  "clusters that are as asked for are looked after for half an hour, and nothing is written",
  whole,
  async () => {
    const { calls, writes } = await steady({ clusters: 3, nodes: 2, groups: 1, hosts: 2 });
    expect(writes).toEqual([]);
    expect(calls.proxmox).toBeGreaterThan(60);
  },
);

test("hours in which nothing changes write nothing, and leave no connection behind", whole, async () => {
  const { files, writes } = await soak({ clusters: 2, nodes: 1, groups: 1, hosts: 2 }, 3);
  expect(writes).toBe(0);
  expect(files[1]).toBeLessThanOrEqual(files[0] + 20);
});

test("a roll-out never takes two control planes of a cluster", whole, async () => {
  const rolled = await rollOut({ clusters: 2, nodes: 5, groups: 1, hosts: 2 });
  expect(rolled).toMatchObject({ reboots: 10, mostVotersAway: 1, rings: [1, 1, 0] });
});

test("faults of one group of hosts are named, and others finish", whole, async () => {
  const faults = await faultsContained({ clusters: 6, nodes: 2, groups: 3, hosts: 3 });
  expect(faults).toEqual({ others: 4, othersReady: 4, cutOff: 2, cutOffNamed: 2, mostBootstraps: 1 });
});

test("leaders that are cut off every two minutes make no machine twice", whole, async () => {
  const leaders = await leadersKilled({ clusters: 4, nodes: 2, groups: 1, hosts: 2 });
  expect(leaders.killed).toBeGreaterThan(0);
  expect(leaders.longestTakeoverSeconds).toBeLessThan(20);
  expect(leaders).toMatchObject({ machines: 8, creations: 8, mostBootstraps: 1 });
});
