import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { connectKube, isNodeReady, readKubeconfig } from "../../src/clients/kube/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { loadFleet, planFleet, previewRemoval } from "../../src/operations/index.ts";
import type { Plan } from "../../src/plan/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { realWorld, type World } from "../../src/world/index.ts";
import { carryOut, carryOutElsewhere } from "../support/sim/carry-out.ts";
import { leaksIn, secretsOf } from "../support/sim/secret-scan.ts";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** What one process knows before it plans: the file, and how to log in. */
async function openFile({ file, token }: Site): Promise<{ fleet: Fleet; world: World }> {
  const loaded = await loadFleet(file);
  if ("problems" in loaded) throw new Error(`the file is wrong: ${JSON.stringify(loaded.problems)}`);
  const { fleet } = loaded;
  const stop = new AbortController().signal;
  const world = realWorld({ file, fleet, env: { PVE_TOKEN: token }, stop, tell: () => undefined });
  return { fleet, world };
}

async function planOf(site: Site): Promise<Plan> {
  const { fleet, world } = await openFile(site);
  const { plan } = await planFleet({ fleet, selection: {}, until: "addons", acceptDataLoss: [] }, world);
  return plan;
}

async function removalOf(site: Site): Promise<Plan> {
  const { fleet, world } = await openFile(site);
  return (await previewRemoval({ fleet, selection: {}, isDataLossAccepted: false }, world)).plan;
}

/** Keeps the plan as text, without a secret in it, and lets somebody carry out what stands there, and all of it. */
async function demandDone(site: Site, plan: Plan, by = carryOut): Promise<void> {
  const text = JSON.stringify(plan);
  expect(leaksIn(text, [...secretsOf(path.join(site.folder, ".slipway")), site.token])).toEqual([]);
  expect(JSON.parse(text), "nothing is lost on paper").toEqual(plan);
  const kept = path.join(site.folder, "plan.json");
  await writeFile(kept, text);
  const told = await by(site.file, kept, { ...process.env, PVE_TOKEN: site.token });
  expect(told).toMatchObject({ failed: [], skipped: [] });
  expect(told.finished.toSorted()).toEqual(plan.changes.map(({ node }) => node.id).toSorted());
}

async function readyNodes({ folder }: Site): Promise<string[]> {
  const text = await readFile(path.join(folder, ".slipway/lab/kubeconfig"), "utf8");
  const kube = connectKube({ clock: realClock, kubeconfig: readKubeconfig(text), dial: dialDirect });
  const nodes = await kube.nodes();
  kube.close();
  return nodes.filter(isNodeReady).map((node) => node.metadata.name);
}

test(
  "a plan is data: another process carries it out to a running cluster, others to a larger one, its removal, and back with its kept disks",
  whole,
  async () => {
    await using site = await simSite({ net: "127.42.17", workers: 1 });
    const file = await readFile(site.file, "utf8");
    const workers = "disk: 20GiB, dataDisks: [{ size: 10GiB }, { size: 12GiB }], address: .20";
    await writeFile(site.file, file.replace("disk: 20GiB, address: .20", workers));

    await demandDone(site, await planOf(site), carryOutElsewhere);
    expect((await planOf(site)).changes).toEqual([]);
    expect(await readyNodes(site)).toEqual(["cp-1", "worker-1"]);

    const larger = (await readFile(site.file, "utf8")).replaceAll("memory: 2GiB", "memory: 3GiB");
    await writeFile(site.file, larger);
    await demandDone(site, await planOf(site));
    expect(await readyNodes(site)).toEqual(["cp-1", "worker-1"]);

    const { proxmox } = site.datacenter;
    const dataSizes = [10, 12].map((sizeGiB) => sizeGiB * 1024 ** 3);
    const dataDisks = () => proxmox.state().volumes.filter(({ sizeBytes }) => dataSizes.includes(sizeBytes));
    for (const volume of dataDisks()) volume.data = { files: "precious" };
    await demandDone(site, await removalOf(site));
    expect(proxmox.state().vms["3000"]).toBeUndefined();

    await demandDone(site, await planOf(site));
    const data = dataDisks().map(({ vmid, data: files }) => ({ vmid, files }));
    expect(data).toEqual(dataSizes.map(() => ({ vmid: 3000, files: { files: "precious" } })));
    expect(await readyNodes(site)).toEqual(["cp-1", "worker-1"]);
  },
);
