import { expect, test } from "vitest";
import { serveScript } from "../../../test/support/proxmox/fake-server.ts";
import { lastPercent } from "./task.ts";

const upid = (node: string, type = "qmcreate") =>
  `UPID:${node}:00001234:0008D099:6AFA1BBE:${type}:100:tool@pve!ci:`;

test("a task is followed on the node its UPID names", async () => {
  using server = await serveScript((call, count) =>
    call.method === "POST"
      ? { data: upid("pve2") }
      : { data: { status: count < 4 ? "running" : "stopped", exitstatus: "OK" } },
  );
  const task = await server.connect().startMachine({ node: "pve1", vmid: 100 });
  await task.wait();
  expect(task.node).toBe("pve2");
  expect(server.seen.slice(1).map((call) => call.path)).toEqual(
    Array.from({ length: 3 }, () => `/nodes/pve2/tasks/${upid("pve2")}/status`),
  );
});

test("a task that ends with warnings has succeeded", async () => {
  using server = await serveScript(() => ({ data: { status: "stopped", exitstatus: "WARNINGS: 2" } }));
  await expect(server.connect().task(upid("pve1")).wait()).resolves.toBeUndefined();
});

test.each([
  ["VM is locked (backup)", "PVE_LOCKED", true],
  ["unexpected status", "PVE_TASK_FAILED", true],
  [
    "unable to create VM 302 - 403 Permission check failed (/vms/302, VM.Config.Options)",
    "PVE_FORBIDDEN",
    false,
  ],
  ["refusing to override existing file 'x.qcow2'", "PVE_ALREADY_EXISTS", false],
  ["start failed: QEMU exited with code 1", "PVE_TASK_FAILED", false],
])("a task ending with %j fails as %s", async (exitstatus, code, transient) => {
  const log = [
    { n: 1, t: "kvm: vlan needs a port" },
    { n: 2, t: `TASK ERROR: ${exitstatus}` },
  ];
  using server = await serveScript((call) => ({
    data: call.path.endsWith("/log") ? log : { status: "stopped", exitstatus },
  }));
  const failure = server.connect().task(upid("pve1"), "start machine 100").wait();
  await expect(failure).rejects.toMatchObject({ code, transient, what: "Cannot start machine 100" });
  await expect(failure).rejects.toMatchObject({
    cause: expect.objectContaining({
      message: expect.stringContaining("kvm: vlan needs a port") as string,
    }) as Error,
  });
});

test("a long task tells how far it is", async () => {
  let asked = 0;
  using server = await serveScript((call) => {
    if (call.path.endsWith("/log")) return { data: [{ n: 1, t: ` 50K .......... ${asked}% 1.2M 3s` }] };
    asked += 1;
    return { data: { status: asked > 40 ? "stopped" : "running", exitstatus: "OK" } };
  });
  const told: number[] = [];
  await server
    .connect()
    .task(upid("pve1", "download"))
    .wait(undefined, (percent) => told.push(percent));
  expect(told.length).toBeGreaterThan(0);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
});

test("many tasks of a node are followed with one list", async () => {
  const upids = Array.from({ length: 40 }, (_, n) => upid("pve1").replace("00001234", `0000${1000 + n}`));
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > 300;
  using server = await serveScript((call) => {
    if (call.path.endsWith("/tasks")) {
      return { data: isOver() ? [] : upids.map((each) => ({ upid: each, status: "RUNNING" })) };
    }
    return { data: { status: isOver() ? "stopped" : "running", exitstatus: "OK" } };
  });
  const client = server.connect();
  await Promise.all(upids.map((each) => client.task(each).wait()));
  const single = server.seen.filter((call) => call.path.endsWith("/status")).length;
  expect(single).toBeLessThanOrEqual(40 + 8);
});

test("the reason of a failed task is told without the request that it repeats [proxmox 11]", async () => {
  const log = [
    "update VM 2000: -description Node%20cp-1 -scsi1 thin:20,discard=on -tags slipway",
    "scsi1: successfully created disk 'thin:vm-2000-disk-1,size=20G'",
    "lvcreate: volume group is full",
    "TASK ERROR: command failed",
  ].map((t, index) => ({ n: index + 1, t }));
  using server = await serveScript((call) => ({
    data: call.path.endsWith("/log") ? log : { status: "stopped", exitstatus: "command failed" },
  }));
  await expect(server.connect().task(upid("pve1"), "change machine 2000").wait()).rejects.toMatchObject({
    why: "Proxmox says: command failed (before that: lvcreate: volume group is full)",
  });
});

test("how tasks ended is read from the list that tells of all of them [proxmox 11]", async () => {
  const upids = Array.from({ length: 10 }, (_, n) => upid("pve1").replace("00001234", `0000${1000 + n}`));
  const startedAt = Date.now();
  const isOver = () => Date.now() - startedAt > 1_000;
  using server = await serveScript((call) =>
    call.path.endsWith("/tasks")
      ? {
          data: upids.map((each) =>
            isOver() ? { upid: each, endtime: 1, status: "OK" } : { upid: each, status: "RUNNING" },
          ),
        }
      : { data: { status: isOver() ? "stopped" : "running", exitstatus: "OK" } },
  );
  const client = server.connect();
  await Promise.all(upids.map((each) => client.task(each).wait()));
  expect(server.seen.filter((call) => call.path.endsWith("/status")).length).toBeLessThanOrEqual(2);
});

test("of a backup that failed the reason is told, which stands in the log only", async () => {
  const lines = [
    "INFO:  40% (8.0 GiB of 20.0 GiB) in 16s, read: 512.0 MiB/s, write: 498.2 MiB/s",
    "zstd: error 70 : Write error : cannot write block : No space left on device ",
    "ERROR: vma_queue_write: write error - Broken pipe",
    "INFO: aborting backup job",
    "ERROR: Backup of VM 100 failed - vma_queue_write: write error - Broken pipe",
    "INFO: Failed at 2026-07-14 09:31:02",
    "INFO: Backup job finished with errors",
    "TASK ERROR: job errors",
  ];
  const log = lines.map((t, index) => ({ n: index + 1, t }));
  using server = await serveScript((call) => ({
    data: call.path.endsWith("/log") ? log : { status: "stopped", exitstatus: "job errors" },
  }));
  await expect(server.connect().task(upid("pve1", "vzdump")).wait()).rejects.toMatchObject({
    code: "PVE_TASK_FAILED",
    why: expect.stringMatching(/Backup of VM 100 failed - .*No space left on device/) as string,
  });
});

test.each([
  [["INFO:  12% (2.4 GiB of 20.0 GiB) in 9s, read: 214.7 MiB/s, write: 201.9 MiB/s"], 12],
  [
    ["INFO: 100% (20.0 GiB of 20.0 GiB) in 1m 20s", "INFO: backup is sparse: 15.2 GiB (76%) total zero data"],
    100,
  ],
  [["INFO: 100% (2 GiB of 2 GiB)", "INFO: backup was done incrementally, reused 1.9 GiB (95%)"], 100],
  [["progress 40% (read 858993459 bytes, zeroes = 3% (25769803 bytes), duration 4 sec)"], 40],
  [
    ["progress 100% (read 2147483648 bytes, duration 9 sec)", "space reduction due to 4K zero blocks 1.2%"],
    100,
  ],
])("%j is at %i percent", (lines, percent) => {
  expect(lastPercent(lines)).toBe(percent);
});
