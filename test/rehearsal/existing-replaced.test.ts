import { afterAll, beforeAll, expect, test } from "vitest";
import { replaceNode } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** A machine that is there already cannot be made again, but what was on it can. */

const fleet = fleetOf(`version: 1
hosts:
  rack:
    existing:
      machines:
        - { name: rack-1, address: 10.7.0.31, mac: 9c:6b:00:00:00:31, fingerprint: trust }
        - { name: rack-2, address: 10.7.0.32, mac: 9c:6b:00:00:00:32, fingerprint: trust }
        - { name: rack-3, address: 10.7.0.33, mac: 9c:6b:00:00:00:33, fingerprint: trust }
clusters:
  lab:
    on: rack
    network: { cidr: 10.7.0.0/24, gateway: .1, vip: .100 }
    controlPlanes: { machines: [rack-1, rack-2, rack-3] }
`);

let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet);
});
afterAll(() => site?.[Symbol.asyncDispose]());

async function replace(node: string): Promise<void> {
  const events: EventBody[] = [];
  const world = site.rehearsal.world(new AbortController().signal, (event) => events.push(event));
  const report = await replaceNode({ fleet, node, confirm: () => Promise.resolve(true) }, world);
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  const { changes, refused } = await site.plan(fleet);
  expect([changes, refused]).toEqual([[], []]);
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  expect(cluster?.members.map(({ name }) => name).toSorted()).toEqual(["rack-1", "rack-2", "rack-3"]);
}

test("a control plane that has lost its disk is refused by up and comes back by replace", whole, async () => {
  const { metal } = site.rehearsal.datacenter;
  await metal.cutPower("rack-3");
  const disks = metal.state()["rack-3"]?.disks ?? {};
  for (const slot of Object.keys(disks)) disks[slot] = {};
  metal.switchOn("rack-3");
  await site.pass(90_000);
  expect((await site.up(fleet)).runReport).toMatchObject({
    outcome: "refused",
    error: {
      code: "RUN_NODE_MAY_LIVE",
      next: expect.stringContaining("slipway replace lab/rack-3") as string,
    },
  });
  await replace("rack-3");
});

test("a living control plane leaves etcd, is emptied and votes again", whole, () => replace("rack-2"));
