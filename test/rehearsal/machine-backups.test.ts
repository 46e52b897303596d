import { afterAll, beforeAll, expect, test } from "vitest";
import { renderLeftNow } from "../../src/cli/views/index.ts";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { listMachineBackups, replaceNode, type UpRequest } from "../../src/operations/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { whole } from "../support/whole-sweep.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** Whole machines are backed up before something happens to them, and a worker comes back from its backup. */

const file = (memory: number, more = "") => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.16.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.16.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 2GiB, address: .20, vmid: 3000, dataDisks: [{ size: 10GiB }], nodes: { worker-1: { memory: ${memory}GiB } } }
${more}`;

const plain = fleetOf(file(2));
/** The same with one worker. */
const one = (memory: number, more = "") => fleetOf(file(memory, more).replace("count: 2", "count: 1"));
const onServer = "    machineBackups: { storage: pbs }\n";
const latencies = { bootMs: 4_000, apiServerMs: 6_000, registerMs: 1_000, readyMs: 2_000, backupMs: 60_000 };

let site: RehearsalSite;
beforeAll(async () => {
  // The answer to the first backup is lost: it is found again, and no second one is made.
  const faults = [{ call: "proxmox POST /nodes/*/vzdump", kind: "lost-reply" as const, times: 1 }];
  site = await runningSite(fleetOf(file(2, onServer)), { latencies, faults });
});
afterAll(() => site?.[Symbol.asyncDispose]());

const state = () => site.rehearsal.datacenter.proxmox.state();
const archives = () => state().volumes.filter(({ content }) => content === "backup");
const disk = (vmid: number, slot: string) => {
  const volid = String(state().vms[vmid]?.config[slot] ?? "").split(",")[0];
  const found = state().volumes.find((volume) => `${volume.storage}:${volume.name}` === volid);
  if (!found) throw new Error(`machine ${vmid} has no ${slot}`);
  return found;
};

const tasksOf = (vmid: number) =>
  state()
    .tasks.filter(({ id }) => id === String(vmid))
    .map(({ type }) => type);

async function expectClean(fleet: Fleet) {
  const plan = await site.plan(fleet);
  expect(plan.changes.map((change) => JSON.stringify(change))).toEqual([]);
}

async function replace(
  node: string,
  request: Partial<Parameters<typeof replaceNode>[0]> = {},
  until: (event: EventBody) => boolean = () => false,
) {
  const events: EventBody[] = [];
  const stop = new AbortController();
  const world = site.rehearsal.world(stop.signal, (event) => {
    events.push(event);
    if (until(event)) stop.abort("SIGINT");
  });
  let screen = "";
  const confirm: UpRequest["confirm"] = ({ plan }) => {
    const shown = { command: "replace", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 };
    screen = showPlan(shown, testScreen());
    return Promise.resolve(true);
  };
  const runReport = await replaceNode({ fleet: plain, node, confirm, ...request }, world);
  return { runReport, events, screen };
}

test("a machine is backed up before it is interrupted, and no other is", async () => {
  disk(3000, "scsi1").data = { written: "early" };
  const { runReport, events } = await site.up(fleetOf(file(3)), { backupStorage: "local" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const [archive, ...others] = archives();
  expect(others).toEqual([]);
  expect(archive?.name).toMatch(/^backup\/vzdump-qemu-3000-[\d_-]+\.vma\.zst$/);
  expect(archive?.machine?.config["memory"]).toBe("2048");
  const volid = `local:${archive?.name}`;
  expect(runReport.outputs["backup of lab/worker-1"]).toBe(volid);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "finished", step: "lab/backup/worker-1", out: { archive: volid } }),
  );
  const progress = events.flatMap((event) =>
    event.type === "progress" && event.step === "lab/backup/worker-1" ? [event.done] : [],
  );
  expect(progress.length).toBeGreaterThan(1);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
});

test("a living worker goes back to its backup, and its data disk does not", async () => {
  disk(3000, "scsi1").data = { written: "late" };
  const { runReport, events, screen } = await replace("worker-1", {
    fleet: fleetOf(file(3)),
    fromBackup: {},
  });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(screen.replaceAll(/\d{4}([-_])\d\d\1\d\d[- ]\d\d[:_]\d\d(?:_\d\d)?/g, "TIME"))
    .toMatchInlineSnapshot(`
      "lab   replace                                            lab.yaml, read 0.1s ago

      ± replace  worker-1                on hydra                                  ~3s
                   backup  local:backup/vzdump-qemu-3000-TIME.vma.zst,
                           taken TIME UTC: its system disk goes back to
                           then
                   weak    1 of 2 workers until worker-1 is back: 4 cores, 3 GiB less
                   keeps   data disk
      − remove   pods worker-1           evicted before its machine is            ~30s
                                         removed; they start on other nodes
      − remove   Kubernetes node worker-1                                          ~0s

      3 changes, about 5m: 1 node is made again.
      "
    `);
  expect(tasksOf(3000)).toContain("qmrestore");
  expect(disk(3000, "scsi1").data).toEqual({ written: "late" });
  expect(state().vms[3000]?.config["memory"]).toBe("3072");
  await expectClean(fleetOf(file(3)));
});

test("a replacement that is cut when the old machine is gone names the backup it goes on with", async () => {
  const volid = `local:${archives()[0]?.name}`;
  disk(3000, "scsi1").data = { written: "late" };
  const cut = await replace("worker-1", { fleet: fleetOf(file(3)), fromBackup: {} }, (event) =>
    event.type === "finished" ? event.step === "lab/old-machine/worker-1" : false,
  );
  expect(cut.runReport.outcome).toBe("stopped");
  // "slipway up" would make the node anew, without what was on its disk.
  const again = `slipway replace lab/worker-1 --from-backup ${volid}`;
  const shown = Object.fromEntries(cut.events.map((event) => [event.type, event]));
  expect(renderLeftNow(testScreen({ columns: 200 }), undefined, shown)).toBe(
    `  safe  Nothing is half-recorded; what exists carries its owner tag\n  next  ${again}\n`,
  );
  expect(cut.runReport.kept).toContain(`${again} goes on`);
  const done = await replace("worker-1", { fleet: fleetOf(file(3)), fromBackup: { archive: volid } });
  expect(done.runReport.outcome, errorsIn(done.events).join("; ")).toBe("done");
  expect(disk(3000, "scsi1").data).toEqual({ written: "late" });
  await expectClean(fleetOf(file(3)));
});

test("before a machine is removed it is backed up on a backup server, where the file says so", async () => {
  const { runReport, events } = await site.up(one(3, onServer));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const [archive, ...others] = archives().filter(({ storage }) => storage === "pbs");
  expect(others).toEqual([]);
  expect(archive?.name).toMatch(/^backup\/vm\/3001\/\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
  expect(site.machines()).not.toContain(3001);
});

test("a worker that was lost with its data comes back with the data of its backup", async () => {
  await site.removeByHand(3000);
  await site.pass(60_000);
  const { runReport, events, screen } = await replace("worker-1", { fleet: one(3), fromBackup: {} });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(screen).toContain("taken");
  expect(disk(3000, "scsi1").data).toEqual({ written: "early" });
  await expectClean(one(3));
});

test("backups are listed by node, also those of a machine that is gone", async () => {
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const listed = await listMachineBackups({ fleet: fleetOf(file(3, onServer)), selection: {} }, world);
  expect(listed.map(({ node, archive, isOurs }) => [node, archive.split(":")[0], isOurs])).toEqual([
    ["worker-1", "local", true],
    ["worker-2", "pbs", true],
  ]);
});

/** What speaks against a change of worker-1 with a backup before it; nothing of the machine is changed. */
async function refusedChange(storage: string) {
  const before = JSON.stringify(state().vms[3000]?.config);
  const { runReport, events } = await site.up(one(4), { backupStorage: storage });
  expect(JSON.stringify(state().vms[3000]?.config)).toBe(before);
  expect(runReport.outcome).toBe("failed");
  return events.flatMap((event) => ("error" in event && event.error ? [event.error] : [])).at(-1);
}

test("a storage that takes no backups is refused before anything happens", async () => {
  const error = await refusedChange("local-lvm");
  expect(error).toMatchObject({
    code: "RUN_NO_MACHINE_BACKUPS",
    why: 'storage "local-lvm" on hydra does not take backups: its content is images, rootdir',
    next: "Name one of: local, pbs",
  });
  expect((await refusedChange("nowhere"))?.why).toBe('hydra has no storage "nowhere"');
});

test("a token without the right to back up is refused with the commands that give it", async () => {
  const { roles, acl } = state();
  const privs = (roles["Administrator"]?.privs ?? []).filter((right) => right !== "VM.Backup");
  roles["NoBackups"] = { privs, isBuiltIn: false };
  const [rule] = acl;
  if (!rule) throw new Error("no rule");
  rule.role = "NoBackups";
  const error = await refusedChange("local");
  rule.role = "Administrator";
  expect(error?.why).toContain("VM.Backup on /vms");
  expect(JSON.stringify(error)).toContain("pveum role");
});

test("a storage without room fails the run, and the machine is as it was", async () => {
  const local = site.rehearsal.datacenter.proxmox;
  const disk0 = disk(3000, "scsi0");
  const [usedBytes, hundredTiB] = [disk0.usedBytes, 100 * 2 ** 40];
  disk0.usedBytes = 3 * hundredTiB;
  const { runReport, events } = await site.up(one(4), { backupStorage: "local" });
  disk0.usedBytes = usedBytes;
  expect(local.state().vms[3000]?.config["memory"]).toBe("3072");
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events)[0]).toContain('PVE_BACKUP_STORAGE_FULL storage "local" has no room left');
});

test("etcd never goes back in time, and a backup of another machine is not taken for this one's", async () => {
  await expect(async () => replace("cp-1", { fromBackup: {} })).rejects.toMatchObject({
    code: "RUN_NOT_FROM_BACKUP",
    next: "Bring the cluster back from a backup of it: slipway restore BACKUP",
  });
  const server = archives().find(({ storage }) => storage === "pbs");
  const archive = `pbs:${server?.name}`;
  const { runReport } = await replace("worker-1", { fleet: one(3), fromBackup: { archive } });
  expect(runReport.error).toMatchObject({
    code: "PVE_BACKUP_OF_ANOTHER",
    why: 'the machine in it is node "worker-2" of cluster "lab"',
  });
  const unknown = await replace("worker-1", { fleet: one(3), fromBackup: { archive: "pbs:backup/vm/1/x" } });
  expect(unknown.runReport.error?.code).toBe("PVE_BACKUP_UNKNOWN");
  expect(site.machines()).toEqual([2000, 3000, expect.any(Number)]);
});

test("a K3s worker that was lost is back with the keys it is known by", whole, async () => {
  const k3s = (memory: number) =>
    fleetOf(
      file(
        memory,
        `    k3s: { version: 1.35.7+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
`,
      ).replace("count: 2", "count: 1"),
    );
  await using other = await runningSite(k3s(2), { latencies });
  const { runReport, events } = await other.up(k3s(3), { backupStorage: "local" });
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  await other.removeByHand(3000);
  await other.pass(60_000);
  const told: EventBody[] = [];
  const world = other.rehearsal.world(new AbortController().signal, (event) => told.push(event));
  const confirm = () => Promise.resolve(true);
  const report = await replaceNode({ fleet: k3s(3), node: "worker-1", fromBackup: {}, confirm }, world);
  expect(report.outcome, errorsIn(told).join("; ")).toBe("done");
  expect((await other.plan(k3s(3))).changes).toEqual([]);
});
