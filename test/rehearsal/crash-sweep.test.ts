import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { sampled, whole } from "../support/whole-sweep.ts";

/**
 * The program is killed (SIGKILL) after each event of a run and started again. It must always converge: nothing lost,
 * nothing twice, the secrets as they were, etcd bootstrapped exactly once.
 */

let template: Site;
let upEvents: number;
/** How many events are told before the secrets are there. */
let secretsMadeAt: number;

beforeAll(async () => {
  template = await simSite({ net: "127.40.250", makesSecrets: true });
  const up = await template.type(["up", "--json"]);
  expect(up.code, up.stderr).toBe(0);
  upEvents = up.events.length;
  secretsMadeAt = up.events.findIndex(
    (event) => event.type === "finished" && event.step === "lab/cluster/secrets",
  );
});

afterAll(() => template[Symbol.asyncDispose]());

const readSecrets = (site: Site): Promise<string | undefined> =>
  readFile(path.join(site.folder, ".slipway/lab/secrets.yaml"), "utf8").catch(() => undefined);

const machines = (site: Site): string[] => Object.keys(site.datacenter.proxmox.state().vms).toSorted();

async function expectNoChanges(site: Site, when: string): Promise<void> {
  expect((await site.run(["plan"])).stdout, when).toContain("no changes");
}

async function killedUp(net: string, after: number, makesSecrets: boolean): Promise<void> {
  await using site = await simSite({ net, makesSecrets });
  const killed = await site.run(["up", "--json"], { killAfterEvents: after });
  const secrets = await readSecrets(site);
  const again = await site.run(["up", "--json"]);
  const when = `killed after event ${after} (${killed.events.at(-1)?.type ?? "none"})`;
  expect(again.code, `${when}: ${again.stderr}`).toBe(0);
  expect(machines(site), when).toEqual(["2000", "3000", "3001"]);
  expect(site.datacenter.talos.bootstraps(), when).toEqual({ lab: 1 });
  const kept = await readSecrets(site);
  expect(kept, when).toBe(secrets ?? kept);
  if (after % 8 === 1) await expectNoChanges(site, when);
}

async function killedDown(net: string, after: number): Promise<void> {
  await using site = await simSite({ net });
  const secrets = await readSecrets(site);
  expect((await site.run(["up", "--json"])).code).toBe(0);
  await site.run(["down", "--yes", "--json"], { killAfterEvents: after });
  const again = await site.run(["down", "--yes", "--json"]);
  expect(again.code, again.stderr).toBe(0);
  expect(machines(site)).toEqual([]);
  expect(await readSecrets(site)).toBe(secrets);
}

/** Two at a time: each has a network of its own, and the machine two cores. */
async function sweep(
  points: number[],
  run: (net: string, after: number) => Promise<void>,
  firstNet: number,
): Promise<void> {
  const lanes = [0, 1].map(async (lane) => {
    for (const [index, after] of points.entries()) {
      if (index % 2 === lane) await run(`127.40.${firstNet + lane}`, after);
    }
  });
  await Promise.all(lanes);
}

/** A usual run is killed at a few points from its begin to its end; a full one, after each event. */
const killPoints = (events: number, every: number): number[] =>
  sampled(
    Array.from({ length: events }, (_, index) => index + 1),
    every,
  );

test(
  "up, killed after each of its events, converges when it is run again",
  { ...whole, timeout: 1_200_000 },
  async () => {
    await sweep(killPoints(upEvents, 40), (net, after) => killedUp(net, after, false), 10);
  },
);

test(
  "up, killed while it makes the secrets, never makes them twice",
  { ...whole, timeout: 600_000 },
  async () => {
    await sweep([secretsMadeAt, secretsMadeAt + 1], (net, after) => killedUp(net, after, true), 20);
  },
);

test(
  "down, killed after each of its events, ends with nothing left",
  { ...whole, timeout: 600_000 },
  async () => {
    const down = await template.type(["down", "--yes", "--json"]);
    expect(down.code, down.stderr).toBe(0);
    await sweep(killPoints(down.events.length, 20), killedDown, 40);
  },
);
