import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { PlanFile } from "../../src/operations/index.ts";
import { typedSite } from "../support/sim/sim-site.ts";

test(
  "a plan is kept, read and done later, and refused once the file or the hosts say something else",
  { timeout: 600_000 },
  async () => {
    await using site = await typedSite({ net: "127.42.14", workers: 1 });
    const made = await site.type(["plan", "--out", "plan.json", "--until", "machines"]);
    expect(made.code, made.stderr).toBe(0);
    const kept = path.join(site.folder, "plan.json");
    const plan = JSON.parse(await readFile(kept, "utf8")) as PlanFile;
    expect(plan).toMatchObject({
      v: 1,
      kind: "slipway-plan",
      fileDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      planDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      request: { until: "machines" },
    });
    expect(plan.steps.map(({ id }) => id)).toContain("lab/machine/cp-1");

    const original = await readFile(site.file, "utf8");
    await writeFile(site.file, original.replace("memory: 2GiB", "memory: 3GiB"));
    const changed = await site.type(["up", "--plan", "plan.json", "--json"]);
    expect([changed.code, changed.events.at(-1)]).toMatchObject([
      2,
      {
        outcome: "refused",
        error: { code: "RUN_NOT_AS_PLANNED", why: "the cluster file says something else" },
      },
    ]);

    await writeFile(site.file, `# a comment says nothing new\n${original}`);
    const done = await site.type(["up", "--plan", "plan.json", "--json", "--junit", "up.xml"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.events.filter(({ type }) => type === "finished")).toHaveLength(plan.steps.length);
    const report = await readFile(path.join(site.folder, "up.xml"), "utf8");
    expect(report).toContain('<testsuites name="slipway up"');
    expect(report).toMatch(/<testcase classname="lab\.machine\.cp-1" name="Create machine cp-1"/);

    const again = await site.type(["up", "--plan", "plan.json", "--json"]);
    expect(again.events.at(-1), "what is done is not done twice").toMatchObject({ outcome: "unchanged" });

    const vm = site.datacenter.proxmox.state().vms["3000"];
    if (vm) vm.config["cores"] = 4;
    const drifted = await site.type(["up", "--plan", "plan.json", "--json"]);
    expect([drifted.code, drifted.events.at(-1)]).toMatchObject([
      2,
      { error: { code: "RUN_NOT_AS_PLANNED", why: expect.stringContaining("worker-1") as unknown } },
    ]);

    await writeFile(kept, "{}");
    const broken = await site.type(["up", "--plan", "plan.json"]);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("RUN_NOT_A_PLAN")]);
  },
);
