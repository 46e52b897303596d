import { readdir, readFile, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKubectl, howToGetKubectl, runProgram } from "../support/kube/kubectl.ts";
import { simSite, typedSite, type Site } from "../support/sim/sim-site.ts";
import { findTalosctl, howToGetTalosctl } from "../support/talos/talosctl.ts";
import { peers } from "../support/peers.ts";

const kubectl = findKubectl();
const talosctl = findTalosctl();
const allNodes = ["cp-1", "cp-2", "cp-3", "worker-1", "worker-2"];
const env = { PATH: process.env["PATH"] ?? "", HOME: os.tmpdir() };

let site: Site;

beforeAll(async () => {
  site = await simSite({ net: "127.41.1", controlPlanes: 3, workers: 2 });
  const up = await site.run(["up"]);
  expect(up.code, up.stdout + up.stderr).toBe(0);
  expect(up.stdout).toContain("lab is up");
});

afterAll(() => site[Symbol.asyncDispose]());

test.skipIf(kubectl === undefined)(`kubectl lists the nodes Ready (${howToGetKubectl})`, peers, async () => {
  const kubeconfig = path.join(site.folder, ".slipway/lab/kubeconfig");
  const nodes = await runProgram(
    kubectl ?? "",
    ["--kubeconfig", kubeconfig, "get", "nodes", "--no-headers"],
    { env },
  );
  const rows = nodes.stdout
    .trim()
    .split("\n")
    .map((row) => row.split(/\s+/).slice(0, 2));
  expect(rows).toEqual(allNodes.map((name) => [name, "Ready"]));
});

test.skipIf(talosctl === undefined)(
  `talosctl reads versions, members and health (${howToGetTalosctl})`,
  peers,
  async () => {
    const talosconfig = path.join(site.folder, ".slipway/lab/talosconfig");
    const ask = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProgram(
        talosctl ?? "",
        ["--talosconfig", talosconfig, ...args],
        { env },
      );
      expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
      return stdout;
    };
    expect(await ask("version")).toContain("v1.13.9");
    const members = await ask("get", "members");
    for (const name of allNodes) expect(members).toContain(name);
    const etcd = await ask("etcd", "members");
    for (const name of allNodes.slice(0, 3)) expect(etcd).toContain(name);
    await ask("health", "--wait-timeout", "20s");
  },
);

test(
  "a second plan finds nothing to do, and down leaves nothing of ours behind",
  { timeout: 600_000 },
  async () => {
    const plan = await site.type(["plan", "--exit-code"]);
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining("no changes: 23 resources")]);

    const down = await site.run(["down", "--yes"]);
    expect(down.code, down.stderr).toBe(0);
    const state = site.datacenter.proxmox.state();
    expect(Object.keys(state.vms)).toEqual([]);
    expect(state.volumes).toEqual([]);
  },
);

test("secrets are made once, kept private, and survive the cluster", { timeout: 600_000 }, async () => {
  await using small = await typedSite({ net: "127.41.2", workers: 0, makesSecrets: true });
  const folder = path.join(small.folder, ".slipway/lab");
  expect((await small.type(["up"])).code).toBe(0);
  const secrets = await readFile(path.join(folder, "secrets.yaml"), "utf8");
  for (const name of await readdir(folder))
    expect((await stat(path.join(folder, name))).mode & 0o077, name).toBe(0);
  expect((await small.type(["down", "--yes"])).code).toBe(0);
  expect((await small.type(["up"])).code).toBe(0);
  expect(await readFile(path.join(folder, "secrets.yaml"), "utf8")).toBe(secrets);
});
