import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { realisticLatencies } from "../../src/sim/index.ts";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** A run of about two seconds, made of waits as long as real ones are among each other. */
const slowSite = (net: string): Promise<Site> =>
  simSite({ net, workers: 1, latencies: realisticLatencies, speed: 60 });

const readSecrets = (site: Site): Promise<string | undefined> =>
  readFile(path.join(site.folder, ".slipway/lab/secrets.yaml"), "utf8").catch(() => undefined);

const advice = ["  safe  Nothing is half-recorded", "  next  slipway up ", "slipway down "];

/** What `up` says and does after an interruption. */
async function expectResumed(site: Site): Promise<void> {
  const secrets = await readSecrets(site);
  const again = await site.type(["up"]);
  expect(again.code, again.stdout + again.stderr).toBe(0);
  expect(again.stdout).toMatch(/^ +\d\.\ds resume \d{8}-\d{6}b?, cut at \d+s$/m);
  expect(again.stdout).toContain("lab is up");
  expect(Object.keys(site.datacenter.proxmox.state().vms).toSorted()).toEqual(["2000", "3000"]);
  expect(site.datacenter.talos.bootstraps()).toEqual({ lab: 1 });
  const kept = await readSecrets(site);
  expect(kept).toBe(secrets ?? kept);
}

test(
  "Ctrl-C reaches a safe point, says what holds and what to type, and the next up goes on from there",
  { timeout: 600_000 },
  async () => {
    await using site = await slowSite("127.42.1");
    const up = site.start(["up"]);
    await up.says("start  machine/cp-1");
    up.child.kill("SIGINT");
    const { code, stdout, stderr } = await up.ended;
    expect(code, stderr).toBe(130);
    expect(stdout).toMatch(/stop {3}SIGINT, \d steps? to a safe point, at most 8s/);
    expect(stdout).toMatch(/done {3}lab stopped at \d+ of \d+ steps, \d+s\n/);
    for (const line of advice) expect(stdout).toContain(line);
    await expectResumed(site);
    expect((await site.type(["plan"])).stdout).toContain("no changes");
  },
);

test("a second Ctrl-C is as safe as the first", { ...whole, timeout: 600_000 }, async () => {
  await using site = await slowSite("127.42.2");
  const up = site.start(["up"]);
  await up.says("start  machine/cp-1");
  up.child.kill("SIGINT");
  await up.says("stop   SIGINT");
  up.child.kill("SIGINT");
  const { code, stdout, stderr } = await up.ended;
  expect(code).toBe(130);
  // Whether the run had already reached its safe point when the second one came is a matter of luck.
  for (const line of advice) expect(stdout + stderr).toContain(line);
  await expectResumed(site);
});

test("the last event of a stopped run says so, also for programs", { timeout: 600_000 }, async () => {
  await using site = await slowSite("127.42.3");
  const up = site.start(["up", "--json"]);
  await up.says('"type":"started","step":"lab/machine/cp-1"');
  up.child.kill("SIGTERM");
  const { code, events } = await up.ended;
  expect(code).toBe(130);
  expect(events.find((event) => event.type === "stopping")).toMatchObject({
    signal: "SIGTERM",
    graceMs: 8_000,
  });
  expect(events.at(-1)).toMatchObject({ type: "done", outcome: "stopped", exitCode: 130 });
});

test(
  "a reader that goes away stops the run like Ctrl-C, without a stack trace",
  { ...whole, timeout: 600_000 },
  async () => {
    await using site = await slowSite("127.42.4");
    const up = site.start(["up", "--json"]);
    await up.says('"type":"started"');
    up.child.stdout.destroy();
    const { code, stderr } = await up.ended;
    expect([code, stderr]).toEqual([130, ""]);
    expect((await site.type(["up"])).code).toBe(0);
  },
);
