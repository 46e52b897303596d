import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fleetStatus, loadFleet } from "../../src/operations/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { errorsIn, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A folder of files is one fleet: hosts in one, clusters of three kinds in others. */
const files = {
  "hosts.yaml": `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.17.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters: {}
`,
  "talos.yaml": `version: 1
hosts: {}
clusters:
  core:
    on: hydra
    network: { cidr: 10.17.0.0/24 }
    controlPlanes: { count: 1, address: .10 }
`,
  "others.yaml": `version: 1
hosts: {}
clusters:
  edge:
    on: hydra
    dependsOn: core
    k3s: { user: debian }
    image: { url: "https://images.example.org/debian-12-genericcloud-amd64.qcow2" }
    network: { cidr: 10.17.0.0/24 }
    controlPlanes: { count: 1, address: .20 }
  web:
    on: hydra
    linux: { user: debian }
    image: { url: "https://images.example.org/debian-12-genericcloud-amd64.qcow2" }
    network: { cidr: 10.17.0.0/24 }
    workers: { count: 1, address: .30 }
`,
};

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-fleet-"));
let fleet: Fleet;
let site: RehearsalSite;

const load = async () => loadFleet(folder);
const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) write(name, text);
  const parsed = await load();
  if (!("fleet" in parsed)) throw new Error(JSON.stringify(parsed.problems));
  fleet = parsed.fleet;
  site = await rehearsalSite(fleet);
});

afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test("addresses are kept apart over all files", async () => {
  write("others.yaml", files["others.yaml"].replace(".30", ".10"));
  const parsed = await load();
  write("others.yaml", files["others.yaml"]);
  const problems = "problems" in parsed ? parsed.problems : [];
  expect(problems.map(({ code, position }) => [code, path.basename(position.file)])).toEqual([
    ["SPEC_ADDRESS_TWICE", "talos.yaml"],
  ]);
});

test("one cluster comes up alone, and then the rest, each machine with a number of its own", async () => {
  const one = await site.up(fleet, { selection: { cluster: "core" } });
  expect(errorsIn(one.events)).toEqual([]);
  expect(site.machines()).toHaveLength(1);
  const all = await site.up(fleet);
  expect(errorsIn(all.events)).toEqual([]);
  expect(site.machines()).toHaveLength(3);
  expect((await site.plan(fleet)).changes).toEqual([]);
});

test("status tells of all of them", async () => {
  const world = site.rehearsal.world(new AbortController().signal, () => undefined);
  const told = await fleetStatus({ fleet, selection: {} }, world);
  expect(told.map(({ cluster, state, version }) => `${cluster} ${state} ${version}`)).toEqual([
    "edge Ready K3s 1.36.3+k3s1",
    "web Ready Linux",
    "core Ready Talos 1.13.9  K8s 1.36.3",
  ]);
});

test("one goes alone, and the rest go in the reverse order of who depends on whom", async () => {
  await site.down(fleet, { selection: { cluster: "web" } });
  expect(site.machines()).toHaveLength(2);
  const { events } = await site.down(fleet);
  const gone = events.flatMap((event) =>
    event.type === "finished" && event.step.includes("/machine/") ? [event.step] : [],
  );
  expect(gone).toEqual(["edge/machine/cp-1", "core/machine/cp-1"]);
  expect(site.machines()).toEqual([]);
});
