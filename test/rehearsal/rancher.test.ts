import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import { addonWith } from "../../src/spec/index.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";

const example = path.join(import.meta.dirname, "../../examples/proxmox-rancher-k3s.yaml");
const fleet = fleetOf(readFileSync(example, "utf8"));

/** The steps in the order in which they ended. */
const ended = (events: EventBody[]): string[] =>
  events.flatMap((event) => (event.type === "finished" ? [event.step] : []));

const isBefore = (order: string[], one: string, other: string): boolean =>
  order.includes(one) && order.includes(other) && order.indexOf(one) < order.indexOf(other);

describe("a manager with Rancher and a cluster that registers with it", () => {
  let site: RehearsalSite;
  let up: Told;
  beforeAll(async () => {
    site = await rehearsalSite(fleet);
    up = await site.up(fleet);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("both come up, and Rancher calls the second one Active", () => {
    expect(errorsIn(up.events)).toEqual([]);
    expect(up.runReport).toMatchObject({ outcome: "done" });
    expect(ended(up.events)).toContain("nprd-apps/cluster/registration");
  });

  test("the machines of the second are made while Rancher installs, and its Kubernetes comes afterwards", () => {
    const order = ended(up.events);
    const rancher = "rancher-manager/addon/rancher";
    for (const node of ["nprd-apps-1", "nprd-apps-2", "nprd-apps-3"])
      expect(isBefore(order, `nprd-apps/system/${node}`, rancher)).toBe(true);
    expect(isBefore(order, rancher, "nprd-apps/node/nprd-apps-1")).toBe(true);
    expect(isBefore(order, "nprd-apps/cluster/nodes", "nprd-apps/cluster/registration")).toBe(true);
  });

  test("a second plan finds nothing to do", async () => {
    expect((await site.plan(fleet)).changes.map(({ node }) => node.id)).toEqual([]);
  });

  test("without registerWith it is taken out of Rancher and left alone otherwise", async () => {
    const clusters = fleet.clusters.map(({ registerWith: _gone, ...cluster }) => cluster);
    const plan = await site.plan({ ...fleet, clusters });
    expect(plan.changes.map(({ action, node }) => `${action} ${node.id}`)).toEqual([
      "remove nprd-apps/cluster/registration",
    ]);
  });

  test("down takes it out of Rancher first, then its machines, then the manager", async () => {
    const down = await site.down(fleet);
    expect(errorsIn(down.events)).toEqual([]);
    const order = ended(down.events);
    expect(order[0]).toBe("nprd-apps/cluster/registration");
    for (const apps of order.filter((id) => id.startsWith("nprd-apps/machine/")))
      expect(isBefore(order, apps, "rancher-manager/machine/rancher-manager-1")).toBe(true);
    expect(site.machines()).toEqual([400]);
  });
});

test("the manager has Rancher, whose name pods of both clusters know", () => {
  const [manager, apps] = fleet.clusters;
  const hostname = manager && addonWith(manager, "managesClusters")?.facts.managesClusters?.hostname;
  for (const cluster of [manager, apps])
    expect(Object.values(cluster?.network.hosts ?? {}).flat()).toContain(hostname);
});
