import { afterAll, beforeAll, expect, test } from "vitest";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  runningSite,
} from "../support/sim/rehearsal-site.ts";

/** A cluster whose machines Proxmox keeps running by itself. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.12.0.${n}:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`;

const file = (more = "", hosts = ["hydra", "lyra", "orion"]) => `version: 1
hosts:
${hosts.map((name, index) => host(name, index + 1)).join("\n")}
clusters:
  lab:
    on: [${hosts.join(", ")}]
    network: { cidr: 10.12.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
${more}`;

const fleet = fleetOf(file("    ha: true\n"));
let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleet);
});

afterAll(() => site[Symbol.asyncDispose]());

const ha = () => site.rehearsal.datacenter.proxmox.state().ha;
const changes = async (wanted = fleet) =>
  (await site.plan(wanted)).changes.map(({ node, consequence }) => `${consequence} ${node.id}`);

test("after up every machine is managed, control planes are kept apart, and nothing is left to change", async () => {
  expect(Object.keys(ha().resources).toSorted()).toEqual(["vm:2000", "vm:2001", "vm:2002"]);
  expect(ha().rules["slipway-lab"]?.resources).toEqual(["vm:2000", "vm:2001", "vm:2002"]);
  expect(await changes()).toEqual([]);
});

test("a machine that somebody took out is taken back, and the rest is not touched", async () => {
  delete ha().resources["vm:2001"];
  expect(await changes()).toEqual(["hot lab/ha/hydra"]);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(await changes()).toEqual([]);
});

test("without ha: true it is switched off, and the machines run on", async () => {
  const plain = fleetOf(file());
  expect(await changes(plain)).toEqual(["hot lab/ha/hydra"]);
  expect((await site.up(plain)).runReport.outcome).toBe("done");
  expect(ha()).toEqual({ resources: {}, rules: {}, groups: {} });
  expect(await changes(plain)).toEqual([]);
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
});

test("down lets go of the machines before it stops them, and leaves nothing of high availability behind", async () => {
  const { runReport, events } = await site.down(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(site.machines()).toEqual([]);
  expect(ha()).toEqual({ resources: {}, rules: {}, groups: {} });
});

test("a host that stands alone is refused before anything is made, with what to do", async () => {
  const alone = fleetOf(file("    ha: true\n", ["hydra"]));
  await using single = await rehearsalSite(alone);
  const { runReport, events } = await single.up(alone);
  expect(runReport).toMatchObject({ outcome: "failed", error: { code: "RUN_PREFLIGHT_FAILED" } });
  expect(errorsIn(events).join()).toContain("PVE_HA_ALONE");
  expect(single.machines()).toEqual([]);
});
