import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { CallTrace, Redaction, realClock, realRandom } from "../../../lib/index.ts";
import { plainFiles, secretStore } from "../../../secrets/index.ts";
import { cpuMs } from "../../../../test/support/cpu-ms.ts";
import { fleetOf, rehearsalSite } from "../../../../test/support/sim/rehearsal-site.ts";
import { genConfig } from "../config/gen-config.ts";
import { intentsIn } from "../intent/intent-for.ts";
import { areConfigFilesCurrent, writeConfigFiles } from "./config-files.ts";
import { configFilesOf } from "./config-files-want.ts";
import { TalosAccess } from "../talos-access.ts";
import { whole } from "../../../../test/support/whole-sweep.ts";

const fleet = (workers: number, patches = "") =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.7.2:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { insecure: true }
clusters:
  lab:
    network: { cidr: 192.168.7.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10 }
    workers: { count: ${workers}, cores: 2, memory: 2GiB, disk: 20GiB, address: .20 }
${patches}`);

const bigFolder = await mkdtemp(path.join(os.tmpdir(), "slipway-configs-"));
afterAll(() => rm(bigFolder, { recursive: true }));

test("up writes the config of every node and role, a second plan has nothing to do, and later ones heal", async () => {
  await using site = await rehearsalSite(fleet(2));
  const folder = path.join(site.folder, "lab");
  const read = (name: string) => readFile(path.join(folder, name), "utf8");
  expect((await site.up(fleet(2))).runReport.outcome).toBe("done");

  expect((await readdir(path.join(folder, "nodes"))).toSorted()).toEqual([
    "cp-1.yaml",
    "worker-1.yaml",
    "worker-2.yaml",
  ]);
  for (const name of ["controlplane.yaml", "worker.yaml", "nodes/cp-1.yaml"])
    expect((await stat(path.join(folder, name))).mode & 0o777, name).toBe(0o600);
  expect(await read("nodes/worker-2.yaml")).toContain("192.168.7.21/24");
  expect(await read("worker.yaml")).not.toContain("192.168.7.21/24");
  expect((await site.plan(fleet(2))).changes).toEqual([]);

  await writeFile(path.join(folder, "nodes/worker-1.yaml"), "mine");
  const [change, ...others] = (await site.plan(fleet(2))).changes;
  expect(change).toMatchObject({
    fields: [{ field: "config files", to: "written again" }],
    consequence: "hot",
  });
  expect(others).toEqual([]);
  const talosconfig = await read("talosconfig");
  expect((await site.up(fleet(2))).runReport.outcome).toBe("done");
  expect(await read("nodes/worker-1.yaml")).toContain("192.168.7.20/24");
  expect(await read("talosconfig")).toBe(talosconfig);

  expect((await site.plan(fleet(3))).changes.map((step) => step.node.id)).not.toContain("lab/cluster/access");
  expect((await site.up(fleet(3))).runReport.outcome).toBe("done");
  expect(await read("nodes/worker-3.yaml")).toContain("192.168.7.22/24");

  expect((await site.up(fleet(1))).runReport.outcome).toBe("done");
  expect((await readdir(path.join(folder, "nodes"))).toSorted()).toEqual(["cp-1.yaml", "worker-1.yaml"]);
  expect((await site.plan(fleet(1))).changes).toEqual([]);
});

const accessTo = (folder: string) =>
  new TalosAccess({
    clock: realClock,
    wall: realClock,
    random: realRandom,
    calls: new CallTrace(),
    redaction: new Redaction(),
    folder,
    secretFiles: plainFiles(folder, realRandom),
    secrets: secretStore({ folder, clock: realClock, random: realRandom, rsaBits: 2048 }),
    dialFor: () => () => Promise.reject(new Error("nothing is dialled here")),
    addressOf: (host) => Promise.resolve(host),
    resolveSecret: () => Promise.resolve(""),
    consoles: {
      listen: () => Promise.reject(new Error("nobody listens here")),
      reset: () => Promise.reject(new Error("nothing is reset here")),
    },
    recoverySource: () => {
      throw new Error("not asked for");
    },
    connectKube: () => {
      throw new Error("nothing is connected here");
    },
  });

const wantsOf = (clusterFile: ReturnType<typeof fleet>) => {
  const [cluster] = clusterFile.clusters;
  if (!cluster) throw new Error("no cluster");
  const intentOf = intentsIn(cluster);
  const nodes = cluster.nodes.map((node) => ({
    name: node.name,
    intent: intentOf(node),
    isToCome: false,
  }));
  return configFilesOf(cluster, nodes, intentOf);
};

test("a role's file is what gen config writes with the same settings", async () => {
  const access = accessTo(bigFolder);
  await access.world.secrets.ensure("lab");
  const [controlPlane, worker] = wantsOf(fleet(1));
  if (!controlPlane || !worker) throw new Error("no files");
  await writeConfigFiles(access, "lab", [controlPlane, worker]);
  const { install, cluster, contract } = worker.intent;
  const made = await genConfig({
    clock: realClock,
    random: realRandom,
    name: "lab",
    endpoint: cluster.endpoint,
    bundle: await access.bundle("lab"),
    talosVersion: contract,
    kubernetesVersion: cluster.kubernetes,
    installImage: install?.image ?? "",
    outputTypes: ["worker"],
    configPatches: [
      {
        source: "test",
        documents: [{ machine: { kubelet: { nodeIP: { validSubnets: ["192.168.7.0/24"] } } } }],
      },
    ],
  });
  expect(await readFile(path.join(bigFolder, "lab/worker.yaml"), "utf8")).toBe(made.worker);
});

test("a patch that fits single nodes only leaves the role's file out", async () => {
  const access = accessTo(bigFolder);
  const [controlPlane] = wantsOf(fleet(1));
  if (!controlPlane) throw new Error("no file");
  const broken = {
    ...controlPlane,
    intent: { ...controlPlane.intent, patches: [{ source: "p", documents: [{ machine: { kubelet: [] } }] }] },
  };
  await writeConfigFiles(access, "lab", [broken]);
  expect(await areConfigFilesCurrent(access, "lab", [broken])).toBe(true);
  await expect(stat(path.join(bigFolder, "lab/controlplane.yaml"))).rejects.toThrowError(/ENOENT/);
});

test("the files of 1,000 nodes are compared within seconds", whole, async () => {
  const many = wantsOf(fleet(200));
  const wants = Array.from({ length: 5 }, (_, turn) =>
    many.map((want) => ({
      ...want,
      file: want.file.replace("nodes/", `nodes/${turn}-`),
      intent: { ...want.intent },
    })),
  ).flat();
  const access = accessTo(bigFolder);
  await access.world.secrets.ensure("lab");
  await writeConfigFiles(access, "lab", wants);
  const compare = async (by: typeof access) =>
    expect(await areConfigFilesCurrent(by, "lab", wants)).toBe(true);
  const knownMs = await cpuMs(() => compare(access));
  const newMs = await cpuMs(() => compare(accessTo(bigFolder)));
  // About 0.2 s and 1.2 s.
  expect(knownMs).toBeLessThan(2_000);
  expect(newMs).toBeLessThan(6_000);
});

test("without secrets nothing is claimed of nodes that nobody has seen", async () => {
  const folder = path.join(bigFolder, "empty");
  await expect(accessTo(folder).bundle("lab")).rejects.toMatchObject({
    code: "SECRETS_LOST",
    why: expect.stringContaining("or it was never brought up from here") as string,
    next: "See which of the two it is: slipway plan lab",
  });
});
