import { expect, test } from "vitest";
import type { Fault } from "../../faults.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

const call = "proxmox POST /nodes/{node}/qemu/{vmid}/status/start";
const start = (box: Bench) => box.ask("POST", "/nodes/hydra/qemu/100/status/start");

async function benchWith(kind: Fault["kind"], faulted = call): Promise<Bench> {
  const box = await bench({ faults: [{ call: faulted, kind }] });
  await box.run("POST", "/nodes/hydra/qemu", { vmid: "100" });
  return box;
}

test("refuse cuts the connection and does nothing", async () => {
  const box = await benchWith("refuse");
  await expect(start(box)).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(box.booted).toEqual([]);
  expect((await start(box)).status).toBe(200);
});

test("hang never answers", async () => {
  await expect(start(await benchWith("hang"))).rejects.toThrow("no answer");
});

test("error is a 500 in the server's words", async () => {
  expect(await start(await benchWith("error"))).toMatchObject({
    status: 500,
    message: "got no worker upid - start worker failed\n",
  });
});

test("unreachable is a 595 without a body", async () => {
  expect(await start(await benchWith("unreachable"))).toMatchObject({ status: 595, data: undefined });
});

test("lock shows in the task, or at once where the call itself takes the lock", async () => {
  const inTask = await benchWith("lock");
  expect(await inTask.run("POST", "/nodes/hydra/qemu/100/status/start")).toContain("got timeout");
  await inTask.sim.close();
  const atOnce = await benchWith("lock", "proxmox PUT /nodes/{node}/qemu/{vmid}/config");
  expect(await atOnce.ask("PUT", "/nodes/hydra/qemu/100/config", { memory: "64" })).toMatchObject({
    status: 500,
    message: "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout\n",
  });
});

test("lost-reply does the work and cuts the connection", async () => {
  const box = await benchWith("lost-reply");
  await expect(start(box)).rejects.toThrow(/socket hang up|ECONNRESET/);
  await box.time.until(() => box.booted.length === 1);
});

test("die takes the machine's power, or the worker of a task", async () => {
  const task = await benchWith("die");
  expect(await task.run("POST", "/nodes/hydra/qemu/100/status/start")).toBe("unexpected status");
  await task.run("POST", "/nodes/hydra/qemu/100/status/start");
  await task.sim.close();
  const power = await benchWith("die", "proxmox GET /nodes/{node}/qemu/{vmid}/status/current");
  await power.run("POST", "/nodes/hydra/qemu/100/status/start");
  expect((await power.ask("GET", "/nodes/hydra/qemu/100/status/current")).data).toMatchObject({
    status: "stopped",
  });
  expect(power.stopped).toEqual(["VM 100"]);
});
