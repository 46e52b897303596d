import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultDatacenter, realisticLatencies } from "../../src/sim/index.ts";
import { simSite, startProgram, type Site } from "../support/sim/sim-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** The same file and the same secrets in another checkout, as a second job of a pipeline has them. */
async function secondCheckout(site: Site) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-second-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(site.folder, folder, { recursive: true, filter: (source) => !source.endsWith("runs") });
  const token = defaultDatacenter().tokens["slipway@pve!main"]?.secret ?? "";
  const env = { ...process.env, PVE_TOKEN: token, NO_COLOR: "1" };
  return (...args: string[]) => startProgram(args, folder, env).ended;
}

test(
  "two runs at once: one works, the other says who does, and nothing is made twice",
  { timeout: 600_000 },
  async () => {
    await using site = await simSite({
      net: "127.42.10",
      workers: 1,
      latencies: realisticLatencies,
      speed: 40,
    });
    const first = site.start(["up"]);
    await first.says("start  image/hydra");
    const second = await site.type(["up", "--json"]);
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
    const down = await site.type(["down", "--yes"]);
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
    // Two machines, and the lock that other folders see.
    expect(made.toSorted()).toEqual([
      "proxmox POST /nodes/{node}/qemu",
      "proxmox POST /nodes/{node}/qemu",
      "proxmox POST /nodes/{node}/qemu",
      "proxmox POST /nodes/{node}/storage/{storage}/download-url",
    ]);
  },
);

test("a run that was killed blocks nobody", { timeout: 600_000 }, async () => {
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
  const second = await site.type(["up", "--until", "machines"]);
  expect(second.code, second.stderr).toBe(0);
});

test(
  "two folders at once: one works, the other says whose run holds the cluster, since when and where",
  { ...whole, timeout: 600_000 },
  async () => {
    await using site = await simSite({
      net: "127.42.12",
      workers: 0,
      latencies: realisticLatencies,
      speed: 40,
    });
    const elsewhere = await secondCheckout(site);
    const first = site.start(["up", "--json"]);
    await first.says('"type":"started","step":"lab/image/hydra"');
    const [second, plan] = await Promise.all([elsewhere("up", "--json"), elsewhere("plan", "--exit-code")]);
    expect(second.events.at(-1)).toMatchObject({
      outcome: "failed",
      exitCode: 1,
      error: {
        code: "RUN_CLUSTER_HELD",
        why: expect.stringMatching(
          new RegExp(
            `^"slipway up" of \\S+ on ${os.hostname()} has been working on it since \\S+Z; the lock is on host`,
          ),
        ) as unknown,
      },
    });
    expect([0, 1, 3], "plan only looks, so nothing holds it up").toContain(plan.code);
    expect(plan.stderr).not.toContain("RUN_CLUSTER");
    const { code, stderr } = await first.ended;
    expect(code, stderr).toBe(0);
    const { proxmox, talos } = site.datacenter;
    expect(Object.keys(proxmox.state().vms), "the lock is gone").toEqual(["2000"]);
    expect(talos.bootstraps()).toEqual({ lab: 1 });
    const after = await elsewhere("up", "--json");
    expect(after.code, after.stderr).toBe(0);
  },
);

test("a run that was stopped leaves no lock behind", { timeout: 600_000 }, async () => {
  await using site = await simSite({
    net: "127.42.13",
    workers: 0,
    latencies: realisticLatencies,
    speed: 80,
  });
  const first = site.start(["up", "--until", "machines"]);
  await first.says("start  image/hydra");
  const { state } = site.datacenter.proxmox;
  const locks = () =>
    Object.values(state().vms).filter(({ config }) => config["name"] === "slipway-lock-lab");
  expect(locks()).toHaveLength(1);
  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(130);
  expect(locks()).toEqual([]);
});

test(
  "an outage of the host while the lock is taken is waited out [proxmox 10]",
  { timeout: 600_000 },
  async () => {
    await using site = await simSite({
      net: "127.42.16",
      workers: 0,
      // The first machine that is made is the lock; each time the connection is cut before anything was done.
      faults: [{ call: "proxmox POST /nodes/{node}/qemu", kind: "refuse", times: 2 }],
    });
    const { code, stderr, events } = await site.type(["up", "--until", "machines", "--json"]);
    expect(code, stderr).toBe(0);
    expect(JSON.stringify(events)).toContain("the lock is not taken yet");
  },
);
