import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { sampled, whole } from "../support/whole-sweep.ts";

/** The program as typed, killed between any two events of an evacuation and started again. */

/** Its one host becomes three of one Proxmox cluster. */
async function threeHosts(net: string): Promise<Site> {
  const site = await simSite({
    net,
    controlPlanes: 3,
    workers: 3,
    latencies: { importMs: 150, startMs: 100 },
  });
  const text = await readFile(site.file, "utf8");
  const hydra = /^ {2}hydra:\n(?: {4,}.*\n)+/m.exec(text)?.[0] ?? "";
  const as = (name: string): string =>
    hydra.replace("  hydra:", `  ${name}:`).replace("proxmox:\n", `proxmox:\n      node: ${name}\n`);
  const file = text
    .replace(hydra, `${as("hydra")}${as("lyra")}${as("orion")}`)
    .replace("on: hydra", "on: [hydra, lyra, orion]");
  await writeFile(site.file, file);
  const up = await site.run(["up", "--until", "machines", "--json"]);
  expect(up.code, up.stderr).toBe(0);
  return site;
}

const onHydra = (site: Site): string[] =>
  Object.values(site.datacenter.proxmox.state().vms)
    .filter(({ node }) => node === "hydra")
    .map(({ config }) => String(config["name"]))
    .toSorted();

const moves = (site: Site): string[] =>
  site.datacenter.proxmox
    .state()
    .tasks.filter(({ type }) => type === "qmigrate")
    .map(({ id, exitstatus }) => `${id} ${exitstatus ?? "running"}`)
    .toSorted();

test("evacuate asks first, moves, tells what it did, and return undoes it", whole, async () => {
  await using site = await threeHosts("127.119.1");
  expect(onHydra(site)).toEqual(["cp-1", "worker-1"]);
  const unasked = await site.type(["evacuate", "hydra"]);
  expect([unasked.code, onHydra(site).length]).toEqual([2, 2]);
  expect(unasked.stdout).toMatch(/lab\/worker-1 {2}hydra → orion {2}live {2}copies \d+ GiB/);
  expect(unasked.stdout).toContain("2 machines move: each stands still for less than a second");
  expect(unasked.stderr).toContain("--yes");
  const away = await site.type(["evacuate", "hydra", "--yes", "--json"]);
  expect([away.code, onHydra(site)], away.stderr).toEqual([0, []]);
  expect(away.events.at(-1)).toMatchObject({ type: "done", outcome: "done", outputs: { host: "hydra" } });
  const back = await site.type(["return", "hydra", "--yes", "--json"]);
  expect([back.code, onHydra(site)], back.stderr).toEqual([0, ["cp-1", "worker-1"]]);
  expect(back.events.at(-1)).toMatchObject({ type: "done", outcome: "done", outputs: { host: "hydra" } });
});

test("killed after any event, the next evacuation finishes and moves nothing twice", whole, async () => {
  await using site = await threeHosts("127.119.2");
  const first = await site.run(["evacuate", "hydra", "--yes", "--json"]);
  expect(first.code, first.stderr).toBe(0);
  const points = first.events.map((_, index) => index + 1).slice(0, -1);
  for (const after of sampled(points, 4)) {
    const back = await site.run(["return", "hydra", "--yes", "--json"]);
    expect(back.code, back.stderr).toBe(0);
    site.datacenter.proxmox.state().tasks.length = 0;
    const killed = await site.run(["evacuate", "hydra", "--yes", "--json"], { killAfterEvents: after });
    const again = await site.run(["evacuate", "hydra", "--yes", "--json"]);
    const when = `killed after event ${after} (${killed.events.at(-1)?.type ?? "none"})`;
    expect([again.code, onHydra(site)], `${when}: ${again.stderr}`).toEqual([0, []]);
    expect(moves(site), when).toEqual(["2000 OK", "3000 OK"]);
  }
});
