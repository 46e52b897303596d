import { expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { fleetStatus } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { expectGolden } from "../support/golden.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";

const host = (name: string) =>
  `  ${name}: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }\n`;

const cluster = (name: string, more = "", workers = "") => `  ${name}:
    on: [hydra, lyra]
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
    workers: { count: 2, address: .20, dataDisks: [{ size: 10GiB, for: longhorn }]${workers} }
${more}`;

const file = (clusters: string) =>
  `version: 1\nhosts:\n${host("hydra")}${host("lyra")}clusters:\n${clusters}`;
const fleet = fleetOf(file(cluster("lab")));
const machinesOnly = { until: "machines" as const };

/** A site with the machines of a fleet, none of which runs anything yet. */
async function siteWith(wanted: Fleet): Promise<RehearsalSite> {
  // Slow enough for a busy machine: a call that takes a second there must not count as lost.
  const site = await rehearsalSite(wanted);
  const { runReport, events } = await site.up(wanted, machinesOnly);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  return site;
}

const planOf = ({ events }: Told) =>
  events.find((event): event is Extract<EventBody, { type: "plan" }> => event.type === "plan");
const state = (site: RehearsalSite) => site.rehearsal.datacenter.proxmox.state();
const dataVolumes = (site: RehearsalSite) =>
  state(site).volumes.filter((volume) => volume.sizeBytes === 10 * 1024 ** 3 && volume.vmid !== undefined);
const dataDisks = (site: RehearsalSite) =>
  dataVolumes(site)
    .flatMap((volume) => volume.vmid ?? [])
    .toSorted((a, b) => a - b);
const statusOf = (site: RehearsalSite, wanted: Fleet, name?: string) =>
  fleetStatus(
    { fleet: wanted, selection: name === undefined ? {} : { cluster: name } },
    site.rehearsal.world(new AbortController().signal, () => {}),
  );

test(
  "pain-13: down keeps data disks, up gives them back to their nodes, down --with-data removes them (telmate#1509, bpg#1763)",
  { timeout: 600_000 },
  async () => {
    await using site = await siteWith(fleet);
    let screen = "";
    for (const volume of dataVolumes(site)) volume.data = { of: volume.vmid };
    const down = await site.down(fleet, {
      confirm({ removing, plan }) {
        const shown = { command: "down", file: "lab.yaml", clusters: removing.names, plan, readAgoMs: 500 };
        screen = showPlan({ ...shown, isRemoval: true, keeps: "secrets" }, testScreen());
        return Promise.resolve(true);
      },
    });
    expectGolden(screen, import.meta.dirname, "testdata", "down-kept-disks.txt");
    expect(down.runReport, errorsIn(down.events).join("; ")).toMatchObject({
      outcome: "done",
      kept: "2 data disks, secrets of lab",
    });
    const leftovers = planOf(down)?.steps.filter((step) => step.keeps !== undefined);
    expect(leftovers?.map((step) => [step.node, step.keeps, step.facts?.["keptGiB"]])).toEqual([
      ["worker-1", "data disk", "10"],
      ["worker-2", "data disk", "10"],
    ]);
    // One shelf on each host, and nothing else.
    expect(site.machines()).toEqual([9200, 9201]);
    expect((await statusOf(site, fleet))[0]).toMatchObject({ state: "Absent", know: "2 data disks kept" });

    const again = await site.down(fleet);
    expect(again.runReport).toMatchObject({
      outcome: "unchanged",
      kept: "2 data disks; to lose them too: slipway down lab --with-data",
    });

    const up = await site.up(fleet, machinesOnly);
    expect(up.runReport.outcome, errorsIn(up.events).join("; ")).toBe("done");
    expect(site.machines()).toEqual([2000, 3000, 3001]);
    expect(dataDisks(site)).toEqual([3000, 3001]);
    expect(dataVolumes(site).map(({ data }) => data)).toEqual(
      dataVolumes(site).map(({ vmid }) => ({ of: vmid })),
    );
    expect((await site.plan(fleet)).changes.filter(({ node }) => node.stage === "machines")).toEqual([]);

    // Again without their machines, and then the disks alone.
    await site.down(fleet);
    const all = await site.down(fleet, { isDataLossAccepted: true });
    expect(all.runReport).toMatchObject({ outcome: "done", kept: "secrets of lab" });
    expect(site.machines()).toEqual([]);
    expect(state(site).volumes.filter((volume) => volume.vmid !== undefined)).toEqual([]);
  },
);

test("a worker that leaves the file leaves its data disk, and gets it back when it returns", async () => {
  await using site = await siteWith(fleet);
  const smaller = fleetOf(file(cluster("lab").replace("count: 2", "count: 1")));
  await site.up(smaller, machinesOnly);
  expect(site.machines()).toEqual([2000, 3000, 9200]);
  expect(dataDisks(site)).toEqual([3000, 9200]);
  await site.up(fleet, machinesOnly);
  expect(site.machines()).toEqual([2000, 3000, 3001]);
  expect(dataDisks(site)).toEqual([3000, 3001]);
});

test("a machine that is made anew keeps its data disk", async () => {
  const sized = (size: string) => fleetOf(file(cluster("lab", "", `, disk: ${size}`)));
  await using site = await siteWith(sized("30GiB"));
  const disk = dataVolumes(site).find((volume) => volume.vmid === 3000);
  if (disk) disk.data = { files: "precious" };
  const accepted = { ...machinesOnly, acceptDataLoss: ["worker-1", "worker-2"] };
  const { runReport, events } = await site.up(sized("20GiB"), accepted);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([2000, 3000, 3001]);
  const now = dataVolumes(site).find((volume) => volume.vmid === 3000);
  expect(now?.data).toEqual({ files: "precious" });
});

test("what must not go is refused before anything happens, with the reason and the way out", async () => {
  await using site = await siteWith(fleet);
  const { 3000: first, 3001: second } = state(site).vms;
  if (!first || !second) throw new Error("there are no workers");
  const refusal = async (wanted: Fleet) => (await site.down(wanted)).runReport;

  const guarded = fleetOf(file(cluster("lab", "", ", nodes: { worker-2: { protect: true } }")));
  const byFile = await refusal(guarded);
  expect(byFile).toMatchObject({ outcome: "refused", exitCode: 2, error: { code: "RUN_NOT_REMOVABLE" } });
  expect(byFile.error?.why).toMatch(/^worker-2 says protect: true \(lab\.yaml:\d+\)$/);

  second.config["protection"] = 1;
  expect((await refusal(fleet)).error?.next).toContain("qm set 3001 --protection 0");
  const smaller = fleetOf(file(cluster("lab").replace("count: 2", "count: 1")));
  expect((await site.plan(smaller)).refused).toMatchObject([{ step: "lab/machine/worker-2" }]);
  delete second.config["protection"];

  first.snapshots["mine"] = { config: { ...first.config } } as never;
  expect((await refusal(fleet)).error?.next).toContain("qm delsnapshot 3000 mine");
  expect(site.machines()).toEqual([2000, 3000, 3001]);
});

test("a cluster that left the file is listed, and taken away by its marks alone", async () => {
  const both = fleetOf(file(`${cluster("lab")}${cluster("edge").replaceAll("address: .", "address: .1")}`));
  await using site = await siteWith(both);
  expect(await statusOf(site, fleet)).toMatchObject([
    { cluster: "lab" },
    { cluster: "edge", state: "Leftover", know: "not in the file" },
  ]);
  const { runReport, events } = await site.down(fleet, {
    selection: { cluster: "edge" },
    confirm: ({ removing }) =>
      Promise.resolve(removing.names.join() === "edge" && removing.clusters.length === 0),
  });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(Object.values(state(site).vms).map((vm) => String(vm.config["tags"]).includes("edge"))).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
  expect(state(site).volumes.some((volume) => volume.name.includes("slipway-talos"))).toBe(true);
  await expect(site.down(fleet, { selection: { cluster: "nobody" } })).rejects.toMatchObject({
    code: "SPEC_UNKNOWN_CLUSTER",
  });
});

test("down takes whole clusters: one node alone is refused", async () => {
  await using site = await rehearsalSite(fleet);
  await expect(site.down(fleet, { selection: { cluster: "lab", node: "worker-1" } })).rejects.toMatchObject({
    code: "RUN_NOT_ONE_NODE",
  });
});

test("pain-39: a machine somebody removed by hand does not stop the removal of the rest (omni#2948, telmate#546)", async () => {
  await using site = await siteWith(fleet);
  const { runReport, events } = await site.down(fleet, {
    async confirm() {
      await site.removeByHand(2000);
      return true;
    },
  });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([9200, 9201]);
});

test("what is left is an error that names it", async () => {
  await using site = await siteWith(fleet);
  const stray = {
    storage: "local-lvm",
    node: "hydra",
    name: "vm-2000-disk-9",
    content: "images",
    format: "raw",
  };
  const more = { sizeBytes: 1024 ** 3, usedBytes: 0, createdAt: 0, vmid: 2000, checksums: {} };
  const { runReport } = await site.down(fleet, {
    confirm() {
      state(site).volumes.push({ ...stray, ...more } as never);
      return Promise.resolve(true);
    },
  });
  expect(runReport).toMatchObject({ outcome: "failed", error: { code: "RUN_SOMETHING_LEFT" } });
  expect(runReport.error?.why).toContain("vm-2000-disk-9 on hydra");
});
