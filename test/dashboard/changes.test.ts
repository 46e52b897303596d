import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  exportRun,
  type BackupsAnswer,
  type FleetAnswer,
  type PlanAnswer,
  type Refused,
  type RunSummary,
  type StartedRun,
  type TopologyAnswer,
} from "../../src/dashboard/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { rehearsedDashboard, served, type Served } from "../support/dashboard/served.ts";
import { labFile } from "../support/lab-file.ts";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { leaksIn, secretsOf } from "../support/sim/secret-scan.ts";

const lab = (workers: number, memory = "2GiB"): Fleet =>
  fleetOf(
    labFile(`  lab:
    on: hydra
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .11, vmid: 2000 }
    workers: { count: ${workers}, cores: 2, memory: ${memory}, disk: 20GiB, address: .21, vmid: 3000 }
`),
    "slipway.yaml",
  );

const planOf = (dashboard: Served) => dashboard.post<PlanAnswer>("/api/plan", { cluster: "lab" });
const approve = (dashboard: Served, { planDigest }: PlanAnswer, confirm?: string) =>
  dashboard.post<StartedRun & Refused>("/api/up", { planDigest, confirm });
const outcomeOf = async (dashboard: Served, { run }: StartedRun) => {
  const { events } = await dashboard.follow(`/api/runs/${run}/events`);
  const last = events.at(-1);
  return last?.type === "done" ? [last.outcome, last.error?.code] : [last?.type];
};

test(
  "a plan is approved in the browser, its run followed by two tabs, and the cluster looked at; no payload holds a secret",
  { timeout: 600_000 },
  async () => {
    let file = lab(2);
    await using site = await rehearsalSite(file);
    const dashboardSite = rehearsedDashboard(site, () => file, { canChange: true });
    await using dashboard = await served(dashboardSite);
    await using onlooker = await served(rehearsedDashboard(site, () => file));

    expect(await dashboard.ask("/api/session")).toMatchObject({ clusters: ["lab"], canChange: true });
    const plan = await planOf(dashboard);
    expect(plan).toMatchObject({ kind: "slipway-plan", request: { selection: { cluster: "lab" } } });
    expect((await approve(onlooker, await planOf(onlooker))).error.code).toBe("UI_READ_ONLY");
    expect((await approve(dashboard, { ...plan, planDigest: "0".repeat(64) })).error.code).toBe(
      "UI_PLAN_FORGOTTEN",
    );
    expect(site.machines(), "nothing was done so far").toEqual([]);

    const [begun, refused] = await Promise.all([approve(dashboard, plan), approve(dashboard, plan)]);
    expect(begun.run).toMatch(/^\d{8}-\d{6}$/);
    expect(refused.error.code, "two clicks are one run").toBe("UI_BUSY");
    const place = `/api/runs/${begun.run}/events`;
    const [mine, theirs] = await Promise.all([dashboard.follow(place), onlooker.follow(place)]);
    expect(mine.events.at(-1)).toMatchObject({ type: "done", outcome: "done" });
    expect(theirs).toEqual(mine);
    expect(mine.events.map((event) => JSON.stringify(event)).join("\n"), "as it stands in the journal").toBe(
      readFileSync(path.join(site.folder, "runs", `${begun.run}.ndjson`), "utf8").trimEnd(),
    );
    expect(mine.events.find((event) => event.type === "plan")).toMatchObject({ steps: plan.steps });
    const [summary] = await onlooker.ask<RunSummary[]>("/api/runs");
    expect(summary).toMatchObject({ run: begun.run, command: "up", outcome: "done", world: "rehearsal" });

    const fleet = await onlooker.ask<FleetAnswer>("/api/fleet");
    expect(fleet.clusters).toMatchObject([{ cluster: "lab", state: "Ready", ready: 3 }]);
    const [hydra] = fleet.capacity.hosts;
    expect(hydra?.clusters).toEqual([{ cluster: "lab", machines: 3, memoryMiB: 6144, cores: 6 }]);
    expect(fleet.capacity.another).toMatchObject([{ cluster: "lab", fits: true }]);
    expect(fleet.clusters[0]?.certificates?.map(({ renew }) => renew)).toContain(
      "slipway rotate credentials lab",
    );
    expect(await onlooker.ask<BackupsAnswer>("/api/backups?cluster=lab")).toEqual({
      ...{ cluster: "lab", backups: [], foreign: [], isOverdue: false, hasPlace: false },
    });
    expect((await onlooker.ask<Refused>("/api/backups?cluster=other")).error.code).toBe(
      "SPEC_UNKNOWN_CLUSTER",
    );
    for (const query of ["from=file", "from=cluster&cluster=lab", "view=network&from=cluster"]) {
      const topology = await onlooker.ask<TopologyAnswer>(`/api/topology?${query}`);
      expect(topology.shown, query).toEqual(["lab"]);
    }
    for (const verb of ["verify", "doctor"]) {
      const { events, end } = await onlooker.follow(`/api/${verb}`, { question: { cluster: "lab" } });
      expect([events[0]?.type, events.at(-1)?.type, end?.isCut], verb).toEqual(["run", "done", false]);
      expect(events.some((event) => event.type === "check" && event.phase === verb)).toBe(true);
    }
    expect((await onlooker.ask<Refused>("/api/topology?cluster=other")).error.code).toBe(
      "SPEC_UNKNOWN_CLUSTER",
    );

    file = lab(1);
    const removal = await planOf(dashboard);
    expect(removal.steps.map(({ consequence }) => consequence)).toContain("remove");
    for (const typed of [undefined, "", "Lab", "lab, other"])
      expect((await approve(dashboard, removal, typed)).error.code, String(typed)).toBe("UI_NAME_NOT_TYPED");
    expect(site.machines()).toEqual([2000, 3000, 3001]);
    expect(await outcomeOf(dashboard, await approve(dashboard, removal, "lab"))).toEqual(["done", undefined]);
    expect(site.machines()).toEqual([2000, 3000]);

    const { page } = await exportRun(dashboardSite, begun.run);
    const told = [...dashboard.heard, ...onlooker.heard, page].join("\n");
    expect(told.length).toBeGreaterThan(50_000);
    expect(leaksIn(told, secretsOf(site.folder))).toEqual([]);
  },
);

test(
  "a plan that no longer fits is refused by its run, and nothing is changed",
  { timeout: 600_000 },
  async () => {
    let file = lab(1);
    await using site = await rehearsalSite(file);
    await using dashboard = await served(rehearsedDashboard(site, () => file, { canChange: true }));
    const small = await planOf(dashboard);
    file = lab(1, "4GiB");
    expect(await outcomeOf(dashboard, await approve(dashboard, small)), "another file").toEqual([
      "refused",
      "RUN_NOT_AS_PLANNED",
    ]);
    const wide = await planOf(dashboard);
    expect(wide.planDigest, "who approves one of them does not approve the other").not.toBe(small.planDigest);
    expect(site.machines()).toEqual([]);

    file = lab(2);
    expect((await site.up(file, { until: "machines" })).runReport.outcome).toBe("done");
    await site.removeByHand(3001);
    const rest = await planOf(dashboard);
    await site.removeByHand(3000);
    expect(await outcomeOf(dashboard, await approve(dashboard, rest)), "another reality").toEqual([
      "refused",
      "RUN_NOT_AS_PLANNED",
    ]);
    expect(site.machines()).toEqual([2000]);
  },
);

test(
  "a run that was started in the browser stops there, and goes on with the next",
  { timeout: 600_000 },
  async () => {
    const file = lab(1);
    await using site = await rehearsalSite(file);
    await using dashboard = await served(rehearsedDashboard(site, () => file, { canChange: true }));
    const started = await approve(dashboard, await planOf(dashboard));
    expect((await dashboard.post<Refused>("/api/stop", { run: "20260101-000001" })).error.code).toBe(
      "UI_NOT_STARTED_HERE",
    );
    expect(await dashboard.post("/api/stop", { run: started.run })).toEqual({ run: started.run });
    expect(await outcomeOf(dashboard, started)).toEqual(["stopped", undefined]);
    await dashboard.ended();
    expect((await dashboard.post<Refused>("/api/stop", { run: started.run })).error.code).toBe(
      "UI_NOT_STARTED_HERE",
    );
    expect(await outcomeOf(dashboard, await approve(dashboard, await planOf(dashboard)))).toEqual([
      "done",
      undefined,
    ]);
  },
);

test(
  "a host that is down blanks nothing: the fleet is shown, and a plan says what is in its way",
  { timeout: 600_000 },
  async () => {
    const file = lab(1);
    await using site = await rehearsalSite(file);
    const elsewhere = {
      ...file,
      hosts: file.hosts.map(
        (host) =>
          JSON.parse(JSON.stringify(host).replaceAll("192.168.1.10:", "192.168.1.99:")) as typeof host,
      ),
    };
    let isBroken = false;
    await using dashboard = await served({
      ...rehearsedDashboard(site, () => elsewhere),
      loadFleet: () => (isBroken ? Promise.reject(new Error("half-written")) : Promise.resolve(elsewhere)),
    });
    const { clusters } = await dashboard.ask<FleetAnswer>("/api/fleet");
    expect(clusters).toMatchObject([{ cluster: "lab", state: "Unreachable" }]);
    const refused = await dashboard.request("/api/plan", {
      method: "POST",
      headers: { authorization: `Bearer ${dashboard.token}`, "content-type": "application/json" },
      body: "{}",
    });
    const { error } = JSON.parse(refused.text) as Refused;
    expect([refused.status, error.next]).toEqual([409, expect.stringMatching(/\w/)]);
    expect(await dashboard.ask("/api/session")).toMatchObject({ clusters: ["lab"] });
    isBroken = true;
    expect(await dashboard.ask("/api/session"), "while the file is edited").toMatchObject({
      clusters: ["lab"],
    });
  },
);
