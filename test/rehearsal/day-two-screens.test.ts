import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterStatus } from "../../src/operations/index.ts";
import { expectGolden } from "../support/golden.ts";
import { typedSite, type TypedSite } from "../support/sim/sim-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Changes of a running cluster that once hurt, each as somebody makes it: what the screen says of it now. */

const net = "10.35.0";
const testdata = path.join(import.meta.dirname, "testdata/day-two-screens");
const host = (name: string) => `  ${name}:
    proxmox: { url: "https://${net}.250:8006", node: ${name}, token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }, tls: { ca: ca.pem } }
`;
const file = `version: 1
hosts:
${["hydra", "lyra", "orion"].map(host).join("")}clusters:
  lab:
    on: [hydra, lyra, orion]
    talos: { version: 1.13.9 }
    kubernetes: 1.36.3
    network: { cidr: ${net}.0/24, gateway: .254, vip: .100 }
    controlPlanes: { count: 3, cores: 1, memory: 2GiB, disk: 20GiB, address: .10, vmid: 2000 }
    workers: { count: 2, cores: 1, memory: 2GiB, disk: 20GiB, address: .20, vmid: 3000, dataDisks: [{ size: 10GiB }] }
`;

let site: TypedSite;
beforeAll(async () => {
  site = await typedSite({ net });
  await writeFile(site.file, file);
  const up = await site.type(["up"]);
  expect(up.code, up.stderr).toBe(0);
});
afterAll(() => site?.[Symbol.asyncDispose]());

/** What is seen of a command; of a run only what it ends with, since the lines before it tell the time. */
async function screen(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await site.type(args);
  const shown = args[0] === "up" ? stderr : `${stdout}${stderr}`;
  // How long it took to read, and with it where the name of the file stands, is a matter of this computer.
  const steady = shown.replace(
    /^(lab +\S+) +(\S+), read .+ ago$/m,
    (_line, left: string, named: string) => left + `${named}, read 0.1s ago`.padStart(100 - left.length),
  );
  return `$ slipway ${args.join(" ")}\n${steady}exit ${code}\n`;
}

/** `shows` is what is typed after the plan; what ran once is planned the same again. */
interface Edit {
  name: string;
  edit: [from: string, to: string][];
  shows?: string[];
}

const edits: Edit[] = [
  { name: "kubernetes-down", edit: [["kubernetes: 1.36.3", "kubernetes: 1.35.2"]], shows: ["up", "plan"] },
  { name: "talos-minor-up", edit: [["version: 1.13.9", "version: 1.14.1"]], shows: ["up", "status"] },
  { name: "removed-worker", edit: [["workers: { count: 2", "workers: { count: 1"]], shows: ["up"] },
];

/** That they are refused, refusals.test.ts sees in every run. */
const furtherEdits: Edit[] = [
  { name: "talos-patch-down", edit: [["version: 1.13.9", "version: 1.13.8"]] },
  {
    name: "talos-minor-down",
    edit: [
      ["version: 1.13.9", "version: 1.12.4"],
      ["kubernetes: 1.36.3", "kubernetes: 1.35.4"],
    ],
  },
  { name: "vip", edit: [["vip: .100", "vip: .99"]] },
  { name: "vlan", edit: [["vip: .100 }", "vip: .100, vlan: 14 }"]] },
  { name: "pod-network", edit: [["vip: .100 }", "vip: .100, podSubnets: [10.200.0.0/16] }"]] },
];

async function showEdit({ name, edit, shows = [] }: Edit): Promise<void> {
  const changed = edit.reduce((text, [from, to]) => text.replace(from, to), file);
  expect(changed).not.toBe(file);
  await writeFile(site.file, changed);
  const shown: string[] = [];
  for (const command of ["plan", ...shows]) shown.push(await screen(command));
  expectGolden(shown.join("\n"), testdata, `${name}.txt`);
}

test.each(edits)("a change of a cluster that runs: $name", showEdit);
test.each(furtherEdits)("a change of a cluster that runs: $name", whole, showEdit);

test("status says what nodes use and run, and which are Ready but not as the file says", async () => {
  await writeFile(
    site.file,
    file.replace(
      "workers: { count: 2, cores: 1, memory: 2GiB",
      "workers: { count: 2, cores: 2, memory: 3GiB",
    ),
  );
  // Its status daemon goes round every ten seconds, and knows nothing of a machine before.
  await site.simulated?.clock.sleep(20_000);
  const shown = [await screen("status"), await screen("status", "lab")];
  expectGolden(shown.join("\n"), testdata, "status-differs.txt");
  const { stdout } = await site.type(["status", "lab", "--json"]);
  const told = JSON.parse(stdout.split("\n")[0] ?? "") as { clusters: ClusterStatus[] };
  expect(told.clusters[0]).toMatchObject({
    state: "Ready",
    versions: { distribution: "Talos", releases: ["1.13.9"], kubernetes: ["1.36.3"] },
  });
  const [controlPlane, , , worker] = told.clusters[0]?.nodes ?? [];
  expect(controlPlane).toMatchObject({ node: "cp-1", state: "Ready", release: "Talos 1.13.9" });
  expect(controlPlane?.differs).toBeUndefined();
  expect(worker).toMatchObject({
    ...{ node: "worker-1", state: "Ready", kubernetes: "1.36.3" },
    usage: { cpuPercent: 3, cores: 1, memoryUsedMiB: 716, memoryMiB: 2048 },
    differs: [
      { field: "cores", from: "1", to: "2" },
      { field: "memory", from: "2 GiB", to: "3 GiB" },
    ],
  });
});

test("nothing of all that was done", async () => {
  await writeFile(site.file, file);
  expect((await site.type(["plan"])).stdout).toContain("no changes");
});

test("a data disk that somebody has detached is attached again", async () => {
  const vm = site.datacenter.proxmox.state().vms["3000"];
  if (!vm) throw new Error("no machine");
  const { scsi1 = "", ...rest } = vm.config;
  vm.config = { ...rest, unused0: String(scsi1).split(",")[0] ?? "" };
  expectGolden(await screen("plan"), testdata, "detached-disk.txt");
  vm.config = { ...rest, scsi1 };
});

test("a host is off: nothing is made a second time, whatever the file is changed to", async () => {
  await site.datacenter.proxmox.setNode("lyra", "off");
  expectGolden(await screen("plan"), testdata, "host-off.txt");
  await writeFile(site.file, file.replace("on: [hydra, lyra, orion]", "on: [hydra, orion]"));
  expectGolden(await screen("up"), testdata, "host-taken-out.txt");
  const names = Object.values(site.datacenter.proxmox.state().vms).map(({ config }) => config["name"]);
  expect(new Set(names).size).toBe(names.length);
});
