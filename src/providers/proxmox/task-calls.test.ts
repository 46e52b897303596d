import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
} from "../../../test/support/proxmox/site.ts";
import { realisticLatencies } from "../../sim/index.ts";

/** One list, twice a second at most, tells of all tasks; beside it only logs are read, for how far an import is. */

test(
  "ten machines at once ask for the state of their tasks together [proxmox 11]",
  { timeout: 600_000 },
  async () => {
    await using site = await proxmoxSite({ latencies: realisticLatencies });
    const nodes = Array.from({ length: 10 }, (_, index) =>
      siteNode(`worker-${index + 1}`, { dataDisks: [{ sizeGiB: 5 }] }),
    );
    const placed = nodes.map((node, index) => ({ node, host: siteHost("one", "pve1"), id: 3000 + index }));
    const [image, ...machines] = site.provider.describe(siteCluster(nodes), placed, siteNeeds());
    await site.resource("proxmox/image").create(site.ctx, image?.want);
    const [before, startedAt] = [site.faults.seen.length, site.clock.now()];
    await Promise.all(machines.map((each) => site.resource(each.kind).create(site.ctx, each.want)));
    const tookMs = site.clock.now() - startedAt;
    const seen = site.faults.seen.slice(before);
    const count = (ending: string) => seen.filter((call) => call.endsWith(ending)).length;
    expect(count(" GET /nodes/{node}/tasks")).toBeLessThanOrEqual(tookMs / 250 + 1);
    // A task that is younger than the last list is asked for by itself.
    expect(count("/tasks/{upid}/status")).toBeLessThanOrEqual(2 * machines.length);
    expect(count("/tasks/{upid}/log")).toBeLessThanOrEqual((1.5 * tookMs) / 1_000);
    // It was 31 each for a whole run; a third of half of that is left for the plan, the image and the consoles.
    expect(seen.length).toBeLessThanOrEqual(11 * machines.length);
  },
);
