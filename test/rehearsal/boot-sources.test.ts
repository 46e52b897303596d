import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import type { Fault } from "../../src/sim/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** One control plane and two workers, made in the way that `from` says. */
const lab = (from: string, talos = "{ version: 1.13.8 }"): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.7.2:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { insecure: true }
      storage: { images: local, disks: local-lvm }
clusters:
  lab:
    from: ${from}
    talos: ${talos}
    network: { cidr: 192.168.7.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10 }
    workers: { count: 2, cores: 2, memory: 2GiB, disk: 20GiB, dataDisks: [{ size: 5GiB }], address: .20 }
`);

const stateOf = (site: RehearsalSite) => site.rehearsal.datacenter.proxmox.state();
const titles = (events: EventBody[]): string[] =>
  events.flatMap((event) => (event.type === "plan" ? event.steps.map((step) => step.title) : []));

/** Ends with a second look that finds nothing to do. */
async function comesUp(site: RehearsalSite, fleet: Fleet): Promise<EventBody[]> {
  const up = await site.up(fleet);
  expect(errorsIn(up.events)).toEqual([]);
  expect(up.runReport.outcome).toBe("done");
  expect((await site.plan(fleet)).changes.map((change) => change.node.id)).toEqual([]);
  return up.events;
}

async function goesDown(site: RehearsalSite, fleet: Fleet, left: number[] = []): Promise<void> {
  const down = await site.down(fleet, { isDataLossAccepted: true });
  expect(errorsIn(down.events)).toEqual([]);
  expect(site.machines()).toEqual(left);
  const volumes = stateOf(site).volumes.map((volume) => volume.name);
  expect(volumes).toEqual(left.map((vmid) => `base-${vmid}-disk-0`));
}

let iso: RehearsalSite;
beforeAll(async () => {
  iso = await rehearsalSite(lab("iso"));
});
afterAll(() => iso[Symbol.asyncDispose]());

const siteFor = (fleet: Fleet, faults: Fault[] = []) => rehearsalSite(fleet, { faults });

test("from an ISO: nodes install themselves, the ISO is taken out, a new version keeps them", async () => {
  const told = titles(await comesUp(iso, lab("iso")));
  expect(told).toContain("Create ISO on hydra");
  expect(told).toContain("Detach the ISO from machine worker-2");
  const worker = stateOf(iso).vms["3001"];
  expect(worker?.config).toMatchObject({ ide0: "none,media=cdrom" });
  // A running machine keeps its drive and its order until it is switched off.
  expect(worker?.pending).toEqual({ set: { boot: "order=scsi0" }, delete: ["ide0"] });

  const newer = await iso.plan(lab("iso", "{ version: 1.13.9 }"));
  expect(newer.changes.filter((change) => change.node.kind === "proxmox/machine")).toEqual([]);
  await goesDown(iso, lab("iso"));
});

test("from templates: a new schematic makes new ones and keeps the nodes, and down leaves nothing", async () => {
  await using site = await siteFor(lab("template"));
  const told = titles(await comesUp(site, lab("template")));
  expect(told).toContain("Create template for control planes on hydra");
  expect(told).toContain("Create template for workers on hydra");
  expect(site.machines()).toEqual([2000, 3000, 3001, 9000, 9100]);
  const uuids = () => [2000, 3000, 3001].map((vmid) => stateOf(site).vms[String(vmid)]?.config["smbios1"]);
  const before = uuids();

  const other = lab("template", "{ version: 1.13.8, extensions: [iscsi-tools] }");
  await comesUp(site, other);
  expect(uuids()).toEqual(before);
  // Thin LVM needs no template for the clones it has made, so the old ones are gone.
  expect(site.machines()).toEqual([2000, 3000, 3001, 9001, 9101]);
  await goesDown(site, other);
});

test("from somebody else's template: nodes are clones of it, and it is there afterwards as it was", async () => {
  const fleet = lab("{ existing: { vmid: 400 } }");
  await using site = await siteFor(fleet);
  const before = structuredClone(stateOf(site).vms["400"]?.config);
  await comesUp(site, fleet);
  expect(site.machines()).toEqual([400, 2000, 3000, 3001]);
  expect(stateOf(site).vms["400"]?.config).toEqual(before);
  await goesDown(site, fleet, [400]);
});

test("from an ISO that is already there: it is used and left alone", whole, async () => {
  const fleet = lab('{ iso: { volume: "local:iso/talos.iso" } }');
  await using site = await siteFor(fleet);
  await comesUp(site, fleet);
  await site.down(fleet, { isDataLossAccepted: true });
  expect(site.machines()).toEqual([]);
  expect(stateOf(site).volumes.map((volume) => volume.name)).toEqual(["iso/talos.iso"]);
});

// A step is tried six times, so this many failures end all steps that make the call, and the next run is free of them.
test.each([
  ["when the templates are made but no templates yet", "template", "proxmox POST /nodes/*/template", 2 * 6],
  ["when clones are made but not set up", "template", "proxmox POST /nodes/*/config", 3 * 6],
  ["when the ISOs are to be taken out", "iso", "proxmox POST /nodes/*/config", 3 * 6],
] as const)("a run that fails %s is finished by the next", whole, async (_when, from, call, times) => {
  const fleet = lab(from);
  await using site = await siteFor(fleet, [{ call, kind: "error", times }]);
  expect((await site.up(fleet)).runReport.outcome).toBe("failed");
  await comesUp(site, fleet);
  const templates = from === "template" ? [9000, 9100] : [];
  expect(site.machines()).toEqual([2000, 3000, 3001, ...templates]);
});
