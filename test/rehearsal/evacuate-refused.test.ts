import { expect, test } from "vitest";
import { renderError } from "../../src/cli/views/index.ts";
import { evacuateHost } from "../../src/operations/index.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import {
  atHome,
  file,
  fleet,
  move,
  places,
  snapshot,
  stateOf,
  tasks,
  three,
  vmOf,
} from "../support/sim/moves.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** What stands in the way of moving machines, and what high availability has to say about it. */

/** A machine that cannot move, and why. */
const blockers: Record<string, (site: RehearsalSite) => void> = {
  "a snapshot of ours": (site) => snapshot(site, 2000, "slipway-20260714-093102"),
  "a snapshot of others, and a device": (site) => {
    snapshot(site, 3000, "before-upgrade");
    vmOf(site, 2000).config["hostpci0"] = "0000:01:00.0";
  },
  "a disc in the drive": (site) => {
    stateOf(site).volumes.push({
      ...{ storage: "local", node: "hydra", name: "iso/tools.iso", content: "iso", format: "iso" },
      ...{ sizeBytes: 2 ** 20, usedBytes: 2 ** 20, createdAt: 0, checksums: {} },
    });
    vmOf(site, 2000).config["ide3"] = "local:iso/tools.iso,media=cdrom";
  },
  "a linked clone": (site) => {
    const vm = vmOf(site, 3000);
    const disk = stateOf(site).volumes.find(({ vmid, name }) => vmid === 3000 && name.includes("disk-0"));
    if (!disk) throw new Error("no disk");
    vm.config["scsi0"] = String(vm.config["scsi0"]).replace(disk.name, `base-9000-disk-0/${disk.name}`);
    disk.name = `base-9000-disk-0/${disk.name}`;
  },
  "a backup under way": (site) => void (vmOf(site, 3000).config["lock"] = "backup"),
  "a bridge of this host alone": (site) => {
    const { config } = vmOf(site, 3000);
    config["net1"] = "virtio=BC:24:11:00:00:01,bridge=vmbr7";
  },
  "no memory anywhere": (site) => void (vmOf(site, 3000).config["memory"] = 900_000),
};

test("whatever forbids a move is named before anything moves", async () => {
  await using site = await rehearsalSite(fleet);
  expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
  const texts: string[] = [];
  for (const [name, hinder] of Object.entries(blockers)) {
    const before = structuredClone(stateOf(site));
    hinder(site);
    const { report } = await move(site, evacuateHost);
    expect(report.outcome, name).toBe("failed");
    texts.push(
      `# ${name}\n${report.error ? renderError(report.error, {}, testScreen({ columns: 100 })) : ""}`,
    );
    Object.assign(stateOf(site), before);
  }
  expectGolden(texts.join("\n"), import.meta.dirname, "testdata/evacuate-blocked.txt");
  expect(places(site)).toEqual(atHome);
});

test("machines under high availability are moved by its manager, and only where its rules let them", async () => {
  const crowded = fleetOf(file(three, "    ha: true\n", 0));
  await using narrow = await rehearsalSite(crowded);
  expect((await narrow.up(crowded, { until: "machines" })).runReport.outcome).toBe("done");
  const refused = await move(narrow, evacuateHost, { wanted: crowded });
  expect(refused.report.error).toMatchObject({
    code: "RUN_MOVES_BLOCKED",
    why: "cp-1 has nowhere to go: lyra has cp-2, from which high availability keeps it apart, orion has cp-3, from which high availability keeps it apart. Nothing was moved",
  });
  const roomy = fleetOf(file([...three, "vega"], "    ha: true\n", 0));
  await using site = await rehearsalSite(roomy, { latencies: { haRoundMs: 10_000, importMs: 5_000 } });
  expect((await site.up(roomy, { until: "machines" })).runReport.outcome).toBe("done");
  const { report, events } = await move(site, evacuateHost, { wanted: roomy });
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(places(site)).toEqual({ "cp-1": "vega", "cp-2": "lyra", "cp-3": "orion" });
  expect([tasks(site, "hamigrate"), tasks(site)]).toEqual([["2000 from hydra"], ["2000 from hydra"]]);
});

test("what cannot be moved at all is refused with the reason", async () => {
  await using site = await rehearsalSite(fleet);
  const home = fleetOf(`version: 1
hosts: { desk: { existing: { machines: [{ name: box-1, address: 10.15.0.41, fingerprint: trust }] } } }
clusters:
  lab:
    on: [desk]
    network: { cidr: 10.15.0.0/24, gateway: .254 }
    controlPlanes: { machines: [box-1] }
`);
  expect((await move(site, evacuateHost, { wanted: home, name: "desk" })).report.error).toMatchObject({
    code: "RUN_HOST_CANNOT_MOVE",
    why: '"desk" stands for machines that exist already: nothing there could carry them elsewhere',
  });
  expect((await move(site, evacuateHost, { name: "vega" })).report).toMatchObject({
    exitCode: 2,
    error: { code: "SPEC_UNKNOWN_HOST" },
  });
});
