import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evacuateHost, returnToHost, type PlannedMoves, type RunReport } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A host needs maintenance: its machines go to the others, and come back. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.15.0.${n}:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`;

const file = (more = "") => `version: 1
hosts:
${["hydra", "lyra", "orion"].map((name, index) => host(name, index + 1)).join("\n")}
clusters:
  lab:
    on: [hydra, lyra, orion]
    network: { cidr: 10.15.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 3, memory: 2GiB, address: .20, vmid: 3000 }
${more}`;

const fleet = fleetOf(file());

async function moved(
  site: RehearsalSite,
  verb: typeof evacuateHost,
  stop = new AbortController().signal,
): Promise<{ report: RunReport; events: EventBody[]; planned?: PlannedMoves }> {
  const events: EventBody[] = [];
  let planned: PlannedMoves | undefined;
  const confirm = (shown: PlannedMoves) => {
    planned = shown;
    return Promise.resolve(true);
  };
  const report = await verb({ fleet, host: "hydra", confirm }, site.rehearsal.world(stop, (e) => events.push(e)));
  return { report, events, ...(planned && { planned }) };
}

const places = (site: RehearsalSite): Record<string, string> =>
  Object.fromEntries(
    Object.values(site.rehearsal.datacenter.proxmox.state().vms).map((vm) => [String(vm.config["name"]), vm.node]),
  );

describe("three hosts", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(fleet);
  }, 120_000);
  afterAll(() => site?.[Symbol.asyncDispose]());

  test("try", async () => {
    console.log(places(site));
    const told = await moved(site, evacuateHost);
    console.log(JSON.stringify(told.report), errorsIn(told.events), told.planned?.warnings, told.planned?.staying);
    console.log(places(site));
    console.log((await site.plan(fleet)).changes.map(({ node, consequence, fields }) => [node.id, consequence, fields]));
    const back = await moved(site, returnToHost);
    console.log(JSON.stringify(back.report), errorsIn(back.events), back.planned?.warnings);
    console.log(places(site));
    console.log((await site.plan(fleet)).changes.map(({ node, consequence, fields }) => [node.id, consequence, fields]));
    expect(1).toBe(1);
  }, 120_000);
});
