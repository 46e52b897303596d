import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/rehearsal-site.ts";

const folder = path.join(import.meta.dirname, "../../examples");

// Every file that lies there, so that a new example is rehearsed without anybody thinking of it.
test.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
  "examples/%s comes up, a second plan finds nothing to do, and down leaves nothing",
  { timeout: 120_000 },
  async (name) => {
    const fleet = fleetOf(readFileSync(path.join(folder, name), "utf8"));
    await using site = await rehearsalSite(fleet);
    const up = await site.up(fleet);
    expect(errorsIn(up.events)).toEqual([]);
    expect(up.ending).toMatchObject({ outcome: "done" });
    const nodes = fleet.clusters.flatMap((cluster) => cluster.nodes);
    const machines = Object.values(site.rehearsal.datacenter.proxmox.state().vms);
    expect(machines.filter((vm) => vm.running)).toHaveLength(nodes.length);

    const again = await site.plan(fleet);
    expect(again.changes.map((change) => change.node.id)).toEqual([]);

    const down = await site.down(fleet, { isDataLossAccepted: true });
    expect(errorsIn(down.events)).toEqual([]);
    expect(site.machines()).toEqual([]);
  },
);
