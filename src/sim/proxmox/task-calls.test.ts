import { expect, test } from "vitest";
import { bench } from "../../../test/support/sim-proxmox-bench.ts";

const upid = (owner: string) =>
  encodeURIComponent(`UPID:hydra:00001234:00001234:60000000:qmstart:100:${owner}:`);

test("a task that is not there is missed before anybody asks for a right to it, but for its log", async () => {
  const box = await bench();
  const tasks = "/nodes/hydra/tasks";
  for (const [method, at] of [
    ["GET", "/status"],
    ["DELETE", ""],
  ] as const) {
    expect((await box.ask(method, `${tasks}/${upid("root@pam")}${at}`)).status).toBe(400);
  }
  expect((await box.ask("GET", `${tasks}/${upid("slipway@pve!main")}/log`)).status).toBe(200);
});

test("tasks whose worker vanished count as errors", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100" });
  const [task] = box.sim.state().tasks;
  if (task) task.exitstatus = "unexpected status";
  const { data } = await box.ask("GET", "/nodes/hydra/tasks", { errors: "1" });
  expect(data).toMatchObject([{ status: "unexpected status" }]);
});
