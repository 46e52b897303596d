import { afterAll, beforeAll, expect, test } from "vitest";
import {
  listFleetSnapshots,
  removeSnapshots,
  rollBackMachines,
  takeSnapshots,
} from "../../src/operations/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** Machines whose disks can be set back to where they were. */

const file = (memory: number, more = "") => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: ${memory}GiB, address: .20, vmid: 3000 }
${more}`;

const plain = fleetOf(file(2));
let site: RehearsalSite;

beforeAll(async () => {
  site = await rehearsalSite(plain);
  const { runReport, events } = await site.up(plain, { until: "machines" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
});

afterAll(() => site[Symbol.asyncDispose]());

const vm = (vmid: number) => {
  const found = site.rehearsal.datacenter.proxmox.state().vms[String(vmid)];
  if (!found) throw new Error(`no machine ${vmid}`);
  return found;
};
const names = (vmid: number) => Object.keys(vm(vmid).snapshots);
const world = () => site.rehearsal.world(new AbortController().signal, () => {});
const grown = (memory: number, keep?: number) =>
  fleetOf(file(memory, keep === undefined ? "" : `    snapshots: { keep: ${keep} }\n`));
const upMachines = async (memory: number, keep?: number, isSnapshotted = false) => {
  const { runReport, events } = await site.up(grown(memory, keep), { until: "machines", isSnapshotted });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
};
/** Names hold seconds. */
const nextSecond = () => site.pass(1_050);

test("up takes a snapshot of a machine before it changes it, and of no other", async () => {
  await upMachines(3, undefined, true);
  expect(names(3000)).toEqual([expect.stringMatching(/^slipway-\d{8}-\d{6}$/)]);
  const [snapshot] = Object.values(vm(3000).snapshots);
  expect(snapshot?.config["memory"]).toBe("2048");
  expect(snapshot?.description).toContain("Node worker-1 of cluster lab, taken by Slipway");
  expect([2000, 2001, 2002].flatMap(names)).toEqual([]);
});

test("the oldest of ours make room, and what somebody else took stays", async () => {
  const [first] = names(3000);
  vm(3000).snapshots["before-holidays"] = { ...vm(3000).snapshots[first ?? ""], takenAt: 1 } as never;
  await nextSecond();
  await upMachines(4, 1);
  expect(names(3000)).toContain("before-holidays");
  expect(names(3000)).not.toContain(first);
  expect(names(3000)).toHaveLength(2);
});

test("a machine goes back to a snapshot, and runs again", async () => {
  const name = names(3000).find((each) => each.startsWith("slipway")) ?? "";
  const asked: string[] = [];
  const report = await rollBackMachines(
    {
      fleet: plain,
      selection: { cluster: "lab", node: "worker-1" },
      name,
      isForced: false,
      confirm: (machines) => Promise.resolve(asked.push(...machines.map((machine) => machine.node)) > 0),
    },
    world(),
  );
  expect(report).toEqual({ name, nodes: [{ cluster: "lab", node: "worker-1" }] });
  expect(asked).toEqual(["worker-1"]);
  expect(vm(3000).config["memory"]).toBe("3072");
  expect(vm(3000).running).toBeTruthy();
});

const rollback = (node: string | undefined, name: string, isForced = false) =>
  rollBackMachines(
    {
      fleet: plain,
      selection: { cluster: "lab", ...(node !== undefined && { node }) },
      name,
      isForced,
      confirm: () => Promise.resolve(false),
    },
    world(),
  );

test("control planes go back together or not at all", async () => {
  const { name, nodes } = await takeSnapshots({ fleet: plain, selection: { cluster: "lab" } }, world());
  expect(nodes).toHaveLength(4);
  await expect(rollback("cp-1", name)).rejects.toMatchObject({
    code: "RUN_NOT_ALL_OF_ETCD",
    why: expect.stringContaining("cp-2, cp-3 would keep data that cp-1 no longer has") as unknown,
  });
  // Both reach the question, which is answered with no.
  await expect(rollback("cp-1", name, true)).rejects.toMatchObject({ code: "RUN_NOT_CONFIRMED" });
  await expect(rollback(undefined, name)).rejects.toMatchObject({ code: "RUN_NOT_CONFIRMED" });
  expect(vm(2000).running).toBeTruthy();
});

test("snapshots are listed with who took them, and only ours are removed", async () => {
  const all = await listFleetSnapshots({ fleet: plain, selection: {} }, world());
  expect(all.filter((snapshot) => !snapshot.isOurs).map((snapshot) => snapshot.name)).toEqual([
    "before-holidays",
  ]);
  const ours = all.find((snapshot) => snapshot.node === "cp-1")?.name ?? "";
  const selection = { cluster: "lab" };
  await removeSnapshots({ fleet: plain, selection, name: ours }, world());
  expect([2000, 2001, 2002].flatMap(names)).toEqual([]);
  const foreign = removeSnapshots({ fleet: plain, selection, name: "before-holidays" }, world());
  await expect(foreign).rejects.toMatchObject({ code: "RUN_NOT_OUR_SNAPSHOT" });
  const missing = removeSnapshots({ fleet: plain, selection, name: "nope" }, world());
  await expect(missing).rejects.toMatchObject({ code: "RUN_NOT_A_SNAPSHOT" });
});
