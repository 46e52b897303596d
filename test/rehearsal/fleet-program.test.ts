import path from "node:path";
import { expect, test } from "vitest";
import { whole } from "../support/whole-sweep.ts";
import { defineFleet, loadFleet, openRehearsal, plan, rehearse, up, type RunEvent } from "../../src/index.ts";

const example = path.join(import.meta.dirname, "../../examples/fleet.mjs");

test(
  "examples/fleet.mjs comes up, and a second plan finds nothing to do",
  { ...whole, timeout: 600_000 },
  async () => {
    const fleet = await loadFleet(example);
    expect(fleet.clusters.map(({ name, nodes }) => [name, nodes.length])).toEqual([
      ["berlin", 2],
      ["oslo", 3],
      ["porto", 4],
    ]);
    await using rehearsal = await openRehearsal(fleet);
    expect(await up(fleet, { rehearsal })).toMatchObject({ outcome: "done" });
    expect((await plan(fleet, { rehearsal })).plan).toMatchObject({ steps: [], refused: [] });
  },
);

const lab = defineFleet({
  version: 1,
  hosts: {
    hydra: {
      proxmox: {
        url: "https://192.168.1.10:8006",
        token: { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } },
      },
    },
  },
  clusters: { lab: { network: { cidr: "192.168.1.0/24", gateway: ".1" }, controlPlanes: { count: 1 } } },
});

test("up() does nothing when it is not confirmed, and tells of it in one numbered stream", async () => {
  const events: RunEvent[] = [];
  const report = await rehearse(await loadFleet(lab), {
    confirm: ({ plan: planned }) => planned.steps.length === 0,
    tell: (event) => events.push(event),
  });
  expect(report).toMatchObject({ outcome: "refused", error: { code: "RUN_NOT_CONFIRMED" } });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: "done" });
});

test("loadFleet() throws the first problem, with its path", async () => {
  const wrong = { ...lab, clusters: { lab: { network: { cidr: "192.168.1.0/24", gatway: ".1" } } } };
  await expect(loadFleet(wrong)).rejects.toMatchObject({
    code: "SPEC_INVALID",
    at: { file: "fleet.ts", path: "clusters.lab.network.gatway" },
  });
});
