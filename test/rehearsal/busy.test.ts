import { expect, test } from "vitest";
import { realisticLatencies } from "../../src/sim/index.ts";
import { simSite } from "../support/sim-site.ts";

test(
  "two runs at once: one works, the other says who does, and nothing is made twice",
  { timeout: 40_000 },
  async () => {
    await using site = await simSite({
      net: "127.42.10",
      workers: 1,
      latencies: realisticLatencies,
      speed: 80,
    });
    const first = site.start(["up"]);
    await first.says("start  image/hydra");
    const second = await site.run(["up", "--json"]);
    expect(second.code).toBe(1);
    expect(second.events.at(-1)).toMatchObject({
      type: "done",
      outcome: "failed",
      exitCode: 1,
      error: {
        code: "RUN_CLUSTER_BUSY",
        why: expect.stringMatching(
          new RegExp(`^"slipway up" has been working on it since \\S+Z \\(process ${first.child.pid}\\)$`),
        ),
      },
    });
    const down = await site.run(["down", "--yes"]);
    expect([down.code, down.stderr]).toEqual([1, expect.stringContaining("RUN_CLUSTER_BUSY")]);

    const { code, stdout, stderr } = await first.ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("lab is up");
    const { proxmox, talos, faults } = site.datacenter;
    expect(Object.keys(proxmox.state().vms).toSorted()).toEqual(["2000", "3000"]);
    expect(talos.bootstraps()).toEqual({ lab: 1 });
    const made = faults.seen.filter((call) =>
      /^proxmox POST \/nodes\/\S+\/(qemu|storage\/\S+\/download-url)$/.test(call),
    );
    expect(made.toSorted()).toEqual([
      "proxmox POST /nodes/{node}/qemu",
      "proxmox POST /nodes/{node}/qemu",
      "proxmox POST /nodes/{node}/storage/{storage}/download-url",
    ]);
  },
);

test("a run that was killed blocks nobody", { timeout: 40_000 }, async () => {
  await using site = await simSite({
    net: "127.42.11",
    workers: 0,
    latencies: realisticLatencies,
    speed: 80,
  });
  const first = site.start(["up", "--until", "machines"]);
  await first.says("start  image/hydra");
  first.child.kill("SIGKILL");
  await first.ended;
  const second = await site.run(["up", "--until", "machines"]);
  expect(second.code, second.stderr).toBe(0);
});
