import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { connectKube, isNodeReady, readKubeconfig, type KubeNode } from "../../src/clients/kube/index.ts";
import { dialDirect } from "../../src/lib/index.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { giveLabSecrets } from "../support/sim/lab-secrets.ts";
import { startProgram, type Running } from "../support/sim/sim-site.ts";
import { realClock } from "../../src/lib/index.ts";
import { whole } from "../support/whole-sweep.ts";

const net = "127.43.1";

interface Listening {
  urls: string[];
  fingerprint: string;
}

/** `slipway sim`, as a person starts it beside the work. */
async function startSim(folder: string): Promise<Running & Listening> {
  const args = [
    "sim",
    "--json",
    "--listen",
    `${net}.250:8006`,
    "--state",
    "lab.json",
    "--datacenter",
    "dc.yaml",
  ];
  const sim = startProgram(args, folder, process.env);
  await sim.says("\n");
  return { ...sim, ...(JSON.parse(sim.told.stdout) as Listening) };
}

const datacenter = `latencies: none
nodes: { hydra: { cores: 16, memory: 64GiB } }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
  local-lvm: { type: lvmthin, size: 1TiB, content: [images] }
users: { "ops@pve": {} }
acl: [{ path: /, role: Administrator, user: "ops@pve" }]
tokens: { "ops@pve!lab": { secret: 0b5e55ed-0000-4000-8000-000000000001, privsep: false } }
`;

const clusterFile = (fingerprint: string): string => `version: 1
hosts:
  hydra:
    proxmox:
      url: https://${net}.250:8006
      token: { id: "ops@pve!lab", secret: { env: LAB_TOKEN } }
      tls: { fingerprint: "${fingerprint}" }
clusters:
  lab:
    network: { cidr: ${net}.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
`;

async function readyNodes(folder: string): Promise<string[]> {
  const text = await readFile(path.join(folder, ".slipway/lab/kubeconfig"), "utf8");
  const kube = connectKube({ clock: realClock, kubeconfig: readKubeconfig(text), dial: dialDirect });
  try {
    const { items } = await kube.list<KubeNode>({ apiVersion: "v1", kind: "Node" });
    return items.filter(isNodeReady).map((node) => node.metadata.name ?? "");
  } finally {
    kube.close();
  }
}

test("a simulated datacenter is as it was after a restart, with its clusters running", whole, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-restart-"));
  await giveLabSecrets(path.join(folder, ".slipway"));
  const env = { LAB_TOKEN: "0b5e55ed-0000-4000-8000-000000000001" };
  const slipway = (...args: string[]) => inProcess(folder, args, env);
  await writeFile(path.join(folder, "dc.yaml"), datacenter);
  let sim = await startSim(folder);
  try {
    await writeFile(path.join(folder, "slipway.yaml"), clusterFile(sim.fingerprint));
    const up = await slipway("up");
    expect(up.code, up.stdout + up.stderr).toBe(0);
    expect(await readyNodes(folder)).toEqual(["cp-1", "worker-1"]);

    sim.child.kill("SIGINT");
    expect((await sim.ended).code).toBe(0);
    const alone = await slipway("plan");
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("PVE_UNREACHABLE")]);

    const { fingerprint } = sim;
    sim = await startSim(folder);
    expect(sim.fingerprint).toBe(fingerprint);
    await expect.poll(() => readyNodes(folder).catch(() => [])).toEqual(["cp-1", "worker-1"]);
    const plan = await slipway("plan", "--exit-code");
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining("no changes")]);
  } finally {
    sim.child.kill("SIGKILL");
    await sim.ended;
    await rm(folder, { recursive: true, force: true });
  }
});
