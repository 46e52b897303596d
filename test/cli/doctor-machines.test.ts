import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectTalos, type TalosClient } from "../../src/clients/talos/index.ts";
import { issueTalosClient } from "../../src/distros/talos/index.ts";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { secretStore } from "../../src/secrets/index.ts";
import type { Vm } from "../../src/sim/proxmox/state.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { inspect, until } from "../support/screens/doctor-lab.ts";
import { expectGolden } from "../support/golden.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  runningSite,
} from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Three control planes on two hosts: two of them share hydra. */
const fleetWith = (network = ", vip: .100", more = "") =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.62.0.1:8006", node: hydra, token: { id: "slipway@pve!main", secret: { env: T } } } }
  lyra: { proxmox: { url: "https://10.62.0.1:8006", node: lyra, token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    on: [hydra, lyra]
    network: { cidr: 10.62.0.0/24, gateway: .254${network} }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
${more}`);
const fleet = fleetWith();

const never = new AbortController().signal;
let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet);
  await site.pass(60_000);
});
afterAll(async () => site[Symbol.asyncDispose]());

const golden = (text: string, name: string) =>
  expectGolden(text, import.meta.dirname, "testdata", `doctor-${name}.txt`);
const proxmox = () => site.rehearsal.datacenter.proxmox;

/** Brings everything back, as "slipway up" does, and waits until doctor has nothing to say. */
async function recover(): Promise<void> {
  const { runReport, events } = await site.up(fleet);
  expect(["done", "unchanged"], errorsIn(events).join("; ")).toContain(runReport.outcome);
}

const nodeOf = (vmid: number): string => proxmox().state().vms[vmid]?.node ?? "";

const clientOf = async () => {
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  return site.rehearsal.world(never, () => {}).openProxmox(host);
};

async function removeByHand(vmid: number): Promise<void> {
  const client = await clientOf();
  const machine = { node: nodeOf(vmid), vmid };
  await (await client.stopMachine(machine, never)).wait(never);
  await (await client.removeMachine(machine, never)).wait(never);
}

test("etcd that was never founded: the run was cut before its one call", whole, async () => {
  await using cut = await rehearsalSite(fleet, {
    faults: [{ call: "talos machine.MachineService/Bootstrap", kind: "error", times: 99 }],
  });
  expect((await cut.up(fleet)).runReport.outcome).toBe("failed");
  const { text, cause } = await inspect(cut, fleet);
  expect(cause, text).toBe("DOCTOR_ETCD_NOT_FOUNDED");
  golden(text, "etcd-not-founded");
});

test("doctor of a cluster that works says so, with all it asked", async () => {
  const { text, code, cause } = await inspect(site, fleet);
  expect([code, cause], text).toEqual([0, ""]);
  golden(text, "well");
});

test("the host stopped two control planes for lack of memory: the screen of the design", async () => {
  const { vms } = proxmox().state();
  const greedy: Vm = {
    vmid: 9000,
    node: "hydra",
    config: { name: "windows", memory: String(61.5 * 1024) },
    pending: { set: {}, delete: [] },
    createdAt: 0,
    powerChangedAt: 0,
    running: { pid: 1, startedAt: 0, isPaused: false },
    snapshots: {},
  };
  await proxmox().cutPower(2000);
  await proxmox().cutPower(2002);
  vms[9000] = greedy;
  const { text, code, cause } = await inspect(site, fleet);
  delete vms[9000];
  expect([code, cause], text).toEqual([1, "PVE_OUT_OF_MEMORY"]);
  golden(text, "out-of-memory");
  await recover();
});

test("somebody stopped a machine: doctor says who, from the host's own tasks", async () => {
  const client = await clientOf();
  await (await client.stopMachine({ node: nodeOf(3000), vmid: 3000 }, never)).wait(never);
  await until(site, async () => (await inspect(site, fleet)).cause !== "");
  const { text, cause } = await inspect(site, fleet);
  expect(cause, text).toBe("PVE_STOPPED_BY_HAND");
  golden(text, "stopped-by-hand");
  await recover();
});

test("a machine that is frozen, and one that a lock keeps from starting", whole, async () => {
  const vm = proxmox().state().vms[3000];
  if (!vm?.running) throw new Error("the worker does not run");
  vm.running.isPaused = true;
  const paused = await inspect(site, fleet);
  vm.running.isPaused = false;
  expect(paused.cause, paused.text).toBe("PVE_MACHINE_FROZEN");
  golden(paused.text, "machine-frozen");
  await proxmox().cutPower(3000);
  vm.config["lock"] = "backup";
  const locked = await inspect(site, fleet);
  delete vm.config["lock"];
  expect(locked.cause, locked.text).toBe("PVE_LOCK_HOLDS_START");
  await recover();
});

test("pain-20-a-vip-that-nobody-took: etcd and the API servers work, asked directly (talos#10402, tf-talos#267)", async () => {
  const { text, cause } = await inspect(site, fleetWith(", vip: .99"));
  expect(cause, text).toBe("DOCTOR_VIP_UNHELD");
  golden(text, "vip-unheld");
});

test("an endpoint that leads nowhere, while the API servers run", async () => {
  const { text, cause } = await inspect(site, fleetWith("", "    endpoint: https://10.62.0.77:6443\n"));
  expect(cause, text).toBe("DOCTOR_ENDPOINT_WRONG");
  golden(text, "endpoint-wrong");
});

test("a machine that is gone is found missing, not made again by itself", whole, async () => {
  await removeByHand(3000);
  const { text, cause } = await inspect(site, fleet);
  expect(cause, text).toBe("DOCTOR_MACHINE_MISSING");
  golden(text, "machine-missing");
  await recover();
});

/** A node, asked as its administrator. */
async function onNode(address: string, ask: (node: TalosClient) => Promise<unknown>): Promise<void> {
  const bundle = await secretStore({ folder: site.folder, clock: realClock, random: realRandom }).find("lab");
  if (!bundle) throw new Error("there are no secrets");
  const identity = await issueTalosClient(bundle, { clock: realClock, random: realRandom });
  const { dial } = site.rehearsal.world(never, () => {});
  const node = connectTalos({
    clock: realClock,
    address,
    dial,
    identity: { ca: bundle.os.cert, ...identity },
  });
  try {
    await ask(node);
  } finally {
    node.close();
  }
}

/** Doctor's answer once the trouble can be seen. */
async function whenIll(): Promise<{ text: string; cause: string }> {
  await until(site, async () => (await inspect(site, fleet)).cause !== "");
  return inspect(site, fleet);
}

test("pain-27-a-node-that-does-not-join-says-why: it waits in maintenance mode (tt-k3s#395)", async () => {
  await onNode("10.62.0.20", (node) =>
    node.reset({ isGraceful: false, reboots: true, partitions: ["STATE", "EPHEMERAL"] }),
  );
  await until(site, async () => (await inspect(site, fleet)).text.includes("waits for its first config"));
  const { text, cause } = await inspect(site, fleet);
  expect(cause, text).toBe("DOCTOR_NODE_UNCONFIGURED");
  golden(text, "node-unconfigured");
  await recover();
});

test("pain-27-a-node-that-does-not-join-says-why: first its card, then the way to it (tt-k3s#279, talos#9702)", async () => {
  await onNode("10.62.0.20", (node) => node.reset({ isGraceful: false, reboots: true }));
  const { text, cause } = await whenIll();
  expect(cause, text).toBe("DOCTOR_NODE_SILENT");
  golden(text, "node-silent");
  const vm = proxmox().state().vms[3000];
  if (!vm) throw new Error("the worker has no machine");
  const nic = String(vm.config["net0"]);
  vm.config["net0"] = `${nic},tag=99`;
  const moved = await inspect(site, fleet);
  vm.config["net0"] = nic;
  expect(moved.cause, moved.text).toBe("DOCTOR_MACHINE_DIFFERS");
  golden(moved.text, "wrong-vlan");
  await removeByHand(3000);
  await recover();
});

test("etcd: a member that was removed, and an alarm", async () => {
  await onNode("10.62.0.10", async (node) => {
    const gone = (await node.etcdMembers()).find(({ hostname }) => hostname === "cp-3");
    await node.removeEtcdMember(gone?.id ?? "");
  });
  await onNode("10.62.0.12", (node) => node.reboot());
  await until(site, async () => (await inspect(site, fleet)).text.includes("permanently"));
  const removed = await inspect(site, fleet);
  expect(removed.cause, removed.text).toBe("DOCTOR_ETCD_MEMBER_LOST");
  golden(removed.text, "etcd-member-lost");
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add({ kind: "etcd-alarm" });
  const alarmed = await inspect(site, fleet);
  cluster.clear();
  expect(alarmed.cause, alarmed.text).toBe("DOCTOR_ETCD_ALARM");
  golden(alarmed.text, "etcd-alarm");
  // What doctor said helps.
  await onNode("10.62.0.12", (node) =>
    node.reset({ isGraceful: false, reboots: true, partitions: ["EPHEMERAL"] }),
  );
  await until(site, async () => (await inspect(site, fleet)).cause === "");
});

test("secrets that are gone, and secrets that are others, are told apart from nodes that are dead", async () => {
  const kept = path.join(site.folder, "lab/secrets.yaml");
  const ours = await readFile(kept, "utf8");
  // With a talosconfig at hand the running cluster would tell them.
  await rm(kept);
  await rm(path.join(site.folder, "lab/talosconfig"));
  const gone = await inspect(site, fleet);
  expect(gone.cause, gone.text).toBe("DOCTOR_NODE_FOREIGN");
  golden(gone.text, "secrets-gone");
  const store = secretStore({ folder: site.folder, clock: realClock, random: realRandom, rsaBits: 2048 });
  await store.ensure("lab");
  const others = await inspect(site, fleet);
  await writeFile(kept, ours);
  expect(others.cause, others.text).toBe("DOCTOR_API_FOREIGN");
  golden(others.text, "secrets-others");
});

test("a host that loses power takes its nodes along, and is named", async () => {
  await proxmox().setNode("lyra", "off");
  await until(site, async () => (await inspect(site, fleet)).cause.startsWith("PVE_"));
  const { text, cause } = await inspect(site, fleet);
  await proxmox().setNode("lyra", "on");
  expect(cause, text).toBe("PVE_NODE_OFFLINE");
  golden(text, "host-lost");
});
