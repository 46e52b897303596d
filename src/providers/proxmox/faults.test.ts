import { expect, test } from "vitest";
import {
  siteNeeds,
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNode,
  type ProxmoxSite,
} from "../../../test/support/proxmox/site.ts";
import { sampled, whole } from "../../../test/support/whole-sweep.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { GraphNode } from "../../plan/index.ts";
import type { FaultKind } from "../../sim/index.ts";

const one = siteHost("one", "pve1");
const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
const placed = [{ node, host: one, id: 2000 }];

/** As the engine does it: what may pass is tried again, after looking at what is there by then. */
async function bringAbout(site: ProxmoxSite, step: GraphNode): Promise<void> {
  const resource = site.resource(step.kind);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const have = attempt === 1 ? undefined : await resource.read(site.ctx, step.want);
      if (have === undefined) await resource.create(site.ctx, step.want);
      else if (!resource.compare(step.want, have).same) await resource.update(site.ctx, step.want, have);
      return;
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || !thrown.transient || attempt === 6) throw thrown;
      await site.clock.sleep(1_000);
    }
  }
}

async function takeAway(site: ProxmoxSite, step: GraphNode): Promise<void> {
  const resource = site.resource(step.kind);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const have = await resource.read(site.ctx, step.want);
      if (have !== undefined) await resource.remove(site.ctx, have);
      return;
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || !thrown.transient || attempt === 6) throw thrown;
      await site.clock.sleep(1_000);
    }
  }
}

const calls = [
  "POST /nodes/{node}/storage/{storage}/download-url",
  "GET /nodes/{node}/storage/{storage}/content",
  "POST /nodes/{node}/qemu",
  "GET /nodes/{node}/tasks/{upid}/status",
  "GET /nodes/{node}/qemu/{vmid}/pending",
  "GET /nodes/{node}/qemu/{vmid}/status/current",
  "PUT /nodes/{node}/qemu/{vmid}/resize",
  "POST /nodes/{node}/qemu/{vmid}/status/start",
  "POST /nodes/{node}/qemu/{vmid}/status/stop",
  "POST /nodes/{node}/qemu/{vmid}/config",
  "POST /nodes/{node}/qemu/{vmid}/move_disk",
  "DELETE /nodes/{node}/qemu/{vmid}",
  "DELETE /nodes/{node}/storage/{storage}/content/{volume}",
];
// A read whose reply is lost is like one that was refused.
const kindsFor = (call: string): FaultKind[] =>
  call.startsWith("GET")
    ? ["refuse", "unreachable", "error"]
    : ["refuse", "unreachable", "lock", "lost-reply", "error"];

// A usual run lets each call meet one or two of them.
const cases = sampled(
  calls.flatMap((call) => kindsFor(call).map((kind) => [kind, call] as const)),
  3,
  1,
);

test.each(cases)(
  "%s at %s ends in success, or in an error that says what to do",
  whole,
  async (kind, call) => {
    await using site = await proxmoxSite({ faults: [{ call: `proxmox ${call}`, kind }] });
    const graph = site.provider.describe(siteCluster([node]), placed, siteNeeds());
    const failures: unknown[] = [];
    const run = (work: () => Promise<void>) =>
      work().catch((thrown: unknown) => {
        failures.push(thrown);
        return work();
      });
    for (const step of graph) await run(() => bringAbout(site, step));
    expect(await site.client.machines("pve1")).toMatchObject([{ vmid: 2000, isRunning: true }]);
    for (const step of graph.toReversed()) await run(() => takeAway(site, step));
    // Only the data disk is left, and what keeps it.
    expect(await site.client.machines("pve1")).toMatchObject([{ vmid: 9200, name: "lab-kept-disks" }]);
    expect(await site.client.storageContent("pve1", "fast")).toMatchObject([
      { vmid: 9200, sizeBytes: 5 * 1024 ** 3 },
    ]);
    // The server's own 500 in words nobody knows is the only failure that is not tried again by itself.
    const expected = {
      code: "PVE_REFUSED",
      why: expect.any(String) as string,
      next: expect.any(String) as string,
    };
    expect(failures).toMatchObject(kind === "error" ? failures.map(() => expected) : []);
  },
);
