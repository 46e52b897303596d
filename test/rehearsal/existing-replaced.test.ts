import { afterAll, beforeAll, expect, test } from "vitest";
import { replaceNode } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { restoringSite, type RestoringSite } from "../support/backups/restoring-site.ts";
import { takenBackup } from "../support/backups/taken-backup.ts";
import { errorsIn, fleetOf, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { runInContainer } from "../support/sim/containers.ts";
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

let lab: RestoringSite;
let site: RehearsalSite;
beforeAll(async () => {
  lab = await restoringSite(fleet);
  site = lab.site;
});
afterAll(() => lab?.[Symbol.asyncDispose]());

async function loseDisk(node: string): Promise<void> {
  const { metal } = site.rehearsal.datacenter;
  await metal.cutPower(node);
  const disks = metal.state()[node]?.disks ?? {};
  for (const slot of Object.keys(disks)) disks[slot] = {};
  metal.switchOn(node);
}

async function tryToReplace(node: string) {
  const events: EventBody[] = [];
  const world = site.rehearsal.world(new AbortController().signal, (event) => events.push(event));
  const report = await replaceNode({ fleet, node, confirm: () => Promise.resolve(true) }, world);
  return { report, events };
}

async function replace(node: string): Promise<void> {
  const { report, events } = await tryToReplace(node);
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  const { changes, refused } = await site.plan(fleet);
  expect([changes, refused]).toEqual([[], []]);
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  expect(cluster?.members.map(({ name }) => name).toSorted()).toEqual(["rack-1", "rack-2", "rack-3"]);
}

test("a control plane that has lost its disk is refused by up and comes back by replace", whole, async () => {
  await loseDisk("rack-3");
  // It waits in maintenance mode, and Kubernetes has heard from it less than a minute ago.
  await site.pass(15_000);
  expect((await site.up(fleet)).runReport).toMatchObject({
    outcome: "refused",
    error: {
      code: "RUN_NODE_MAY_LIVE",
      what: 'Cannot make "rack-3" a node again',
      why: "its machine is empty, and etcd counts it as a member and would count a new one beside it",
      next: "Take it out of etcd and make it again: slipway replace lab/rack-3",
      else: undefined,
    },
  });
  await replace("rack-3");
});

test("a living control plane leaves etcd, is emptied and votes again", whole, () => replace("rack-2"));

test("a machine that does not answer cannot be emptied: replace says so at once and does nothing", async () => {
  const { metal } = site.rehearsal.datacenter;
  await metal.cutPower("rack-3");
  const { report, events } = await tryToReplace("rack-3");
  expect(report).toMatchObject({ outcome: "refused", error: { code: "RUN_NOT_ALLOWED" } });
  expect(report.error?.why).toContain("rack-3 does not answer, so it cannot be emptied");
  expect(events.filter(({ type }) => type === "started")).toEqual([]);
  metal.switchOn("rack-3");
  await site.pass(90_000);
});

test(
  "what a node in a container holds of a lost etcd is not wiped: the restore names it and begins nothing",
  whole,
  async () => {
    await lab.note("before");
    const backup = await takenBackup(lab.world(), fleet);
    await loseDisk("rack-2");
    await loseDisk("rack-3");
    runInContainer(site, "rack-1");
    await site.pass(90_000);
    const { report } = await lab.restore(backup);
    expect(report).toMatchObject({ outcome: "refused", error: { code: "RESTORE_NODE_IN_CONTAINER" } });
    expect(report.error?.next).toContain("Empty the volume of its container");
    await loseDisk("rack-1");
    await site.pass(90_000);
    const again = await lab.restore(backup);
    expect(again.report.outcome, errorsIn(again.events).join("; ")).toBe("done");
    expect(await lab.notes()).toEqual(["before"]);
  },
);
