import { readFile, rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { rotateAccount } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A cluster with an account of its own in Proxmox, for its cloud controller manager and storage driver. */

const fleet = fleetOf(`version: 1
hosts:
  hydra:
    proxmox: { url: "https://10.13.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } }
    region: attic
clusters:
  lab:
    cloudAccount: true
    network: { cidr: 10.13.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 2GiB, address: .10, vmid: 2000 }
`);

let site: RehearsalSite;
let told: EventBody[];

beforeAll(async () => {
  site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet, { until: "machines" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  told = events;
});

afterAll(() => site[Symbol.asyncDispose]());

const file = () => `${site.folder}/lab/proxmox-account.yaml`;
const read = async () =>
  (parse(await readFile(file(), "utf8")) as { clusters: Record<string, string>[] }).clusters;
const state = () => site.rehearsal.datacenter.proxmox.state();
const accountChanges = async () =>
  (await site.plan(fleet)).changes
    .filter(({ node }) => node.kind === "proxmox/account")
    .map(({ fields: [first] }) => `${first?.field}: ${first?.from} -> ${first?.to}`);

test("up makes the account and keeps its secret in one file, in the form the cloud controller manager reads", async () => {
  const [account] = await read();
  expect(account).toMatchObject({
    url: "https://10.13.0.1:8006/api2/json",
    token_id: "lab-slipway@pve!cloud",
    region: "attic",
  });
  expect(state().tokens["lab-slipway@pve!cloud"]?.secret).toBe(account?.["token_secret"]);
  expect(JSON.stringify(told)).not.toContain(account?.["token_secret"]);
  expect(await accountChanges()).toEqual([]);
});

test("a lost file means a token made anew, as the plan says", async () => {
  const [before] = await read();
  await rm(file());
  expect(await accountChanges()).toEqual(["token: its secret is not in the file -> replaced"]);
  expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
  expect((await read())[0]?.["token_secret"]).not.toBe(before?.["token_secret"]);
  expect(await accountChanges()).toEqual([]);
});

test("rotating changes the secret, and only says where it is", async () => {
  const [before] = await read();
  const events: EventBody[] = [];
  const world = site.rehearsal.world(new AbortController().signal, (event) => events.push(event));
  const rotation = await rotateAccount({ fleet, cluster: "lab" }, world);
  const [now] = await read();
  expect(rotation).toEqual({ cluster: "lab", file: file(), hosts: ["hydra"] });
  expect(now?.["token_secret"]).not.toBe(before?.["token_secret"]);
  expect(JSON.stringify([events, rotation])).not.toContain(now?.["token_secret"]);
  expect(await accountChanges()).toEqual([]);
});

test("without cloudAccount: true the account goes, and up makes a new one when it is asked for again", async () => {
  const [cluster] = fleet.clusters;
  const { hasCloudAccount: _none, ...plain } = cluster ?? fail();
  const without = { ...fleet, clusters: [plain] };
  const { runReport, events } = await site.up(without, { until: "machines" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(Object.keys(state().users)).not.toContain("lab-slipway@pve");
  await expect(readFile(file())).rejects.toMatchObject({ code: "ENOENT" });
  expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
  expect(await accountChanges()).toEqual([]);
});

function fail(): never {
  throw new Error("the fleet has no cluster");
}

test("down takes the account away with the cluster", async () => {
  const { runReport, events } = await site.down(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(Object.keys(state().users)).not.toContain("lab-slipway@pve");
  expect(Object.keys(state().roles)).not.toContain("slipway-lab");
  await expect(readFile(file())).rejects.toMatchObject({ code: "ENOENT" });
});
