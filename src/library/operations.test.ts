import { expect, test } from "vitest";
import { defineFleet, loadFleet, openRehearsal, up, verify } from "./index.ts";

const lab = defineFleet({
  version: 1,
  hosts: {
    hydra: {
      proxmox: { url: "https://10.46.0.1:8006", token: { id: "slipway@pve!main", secret: { env: "T" } } },
    },
  },
  clusters: {
    lab: {
      network: { cidr: "10.46.0.0/24", gateway: ".254" },
      controlPlanes: { count: 1, address: ".101", memory: "2GiB" },
    },
  },
});

test("up() and verify() name the first failure in their report, for programs that listen to no event", async () => {
  const fleet = await loadFleet(lab);
  await using rehearsal = await openRehearsal(fleet);
  const { site } = rehearsal;
  const open = site.world;
  site.world = (stop, tell) => ({
    ...open(stop, tell),
    dialFor: () => () => Promise.reject(Object.assign(new Error("no route"), { code: "EHOSTUNREACH" })),
  });
  expect(await up(fleet, { rehearsal })).toMatchObject({
    outcome: "failed",
    error: { code: "RUN_WAIT_TOO_LONG" },
  });
  expect(await verify(fleet, { rehearsal })).toMatchObject({
    outcome: "failed",
    error: { code: expect.stringMatching(/^VERIFY_/) as string },
  });
});
