import http from "node:http";
import https from "node:https";
import { expect, test } from "vitest";
import { defaultDatacenter } from "../../datacenter-file.ts";
import { bench, hosts, port } from "../../../../test/support/sim-proxmox-bench.ts";

const machine = { vmid: "100", name: "cp-1", memory: "512", scsi0: "local-lvm:8" };
const shown = (data: unknown) => data as Record<string, unknown>[];

test("a node without power takes its guests down, and is known as offline", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/lyra/qemu", { ...machine, onboot: "1" });
  await box.run("POST", "/nodes/lyra/qemu/100/status/start");
  await box.sim.setNode("lyra", "off");
  expect(box.stopped).toEqual(["cp-1"]);
  const nodes = shown((await box.ask("GET", "/nodes")).data);
  expect(nodes.map(({ node, status }) => [node, status])).toContainEqual(["lyra", "offline"]);
  expect(await box.ask("GET", "/nodes/lyra/qemu")).toMatchObject({ status: 595 });
  await expect(box.ask("GET", "/version", {}, hosts.lyra)).rejects.toThrow(/hang up|reset/);
  await box.sim.setNode("lyra", "on");
  expect(box.booted.map(({ hardware }) => hardware.name)).toEqual(["cp-1", "cp-1"]);
});

test("without quorum everything can be read, machines can be stopped and nothing else changes", async () => {
  const box = await bench();
  await box.run("POST", "/nodes/hydra/qemu", machine);
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  await box.sim.setNode("lyra", "cut-off");
  await box.sim.setNode("orion", "cut-off");
  const [cluster] = shown((await box.ask("GET", "/cluster/status")).data);
  expect(cluster).toMatchObject({ type: "cluster", quorate: 0 });
  const create = await box.ask("POST", "/nodes/hydra/qemu", { ...machine, vmid: "101" });
  expect(create.message).toBe("cluster not ready - no quorum?\n");
  const change = await box.ask("PUT", "/nodes/hydra/qemu/100/config", { memory: "1024" });
  expect(change.message).toMatch(/^unable to open file .*100\.conf\.tmp\.\d+' - Permission denied\n$/);
  const pool = await box.ask("POST", "/pools", { poolid: "lab" });
  expect(pool.message).toBe("create pool failed: cfs-lock 'file-user_cfg' error: no quorum!\n");
  expect(await box.run("POST", "/nodes/hydra/qemu/100/status/stop")).toBe("OK");
  expect(await box.run("DELETE", "/nodes/hydra/qemu/100")).toMatch(/Permission denied/);
  await box.sim.setNode("lyra", "on");
  expect(await box.run("DELETE", "/nodes/hydra/qemu/100")).toBe("OK");
});

test("a fault of the kind no-quorum strikes one call only", async () => {
  const box = await bench({ faults: [{ call: "proxmox POST /nodes/*/qemu", kind: "no-quorum" }] });
  const refused = await box.ask("POST", "/nodes/hydra/qemu", machine);
  expect(refused.message).toBe("cluster not ready - no quorum?\n");
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
});

test("the datacenter file may say that nodes are off, and the state remembers it", async () => {
  const file = defaultDatacenter();
  const { lyra } = file.nodes;
  if (lyra) lyra.isOffline = true;
  const box = await bench({ datacenter: file });
  expect(await box.ask("GET", "/nodes/lyra/status")).toMatchObject({ status: 595 });
  expect(Object.keys(box.sim.state().offline)).toEqual(["lyra"]);
});

test("a host is switched off and on over its own port while the simulator runs", async () => {
  const box = await bench();
  expect(await control(box.sim.ca, "lyra", "off")).toMatchObject({ hydra: "on", lyra: "off" });
  expect(await box.ask("GET", "/nodes/lyra/status")).toMatchObject({ status: 595 });
  expect(await control(box.sim.ca, "lyra", "on", hosts.lyra)).toMatchObject({ lyra: "on" });
  expect(await box.ask("GET", "/nodes/lyra/status")).toMatchObject({ status: 200 });
});

test("who speaks plain HTTP to the API is sent to https", async () => {
  await bench();
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ host: hosts.hydra, port, path: "/api2/json/version" }, resolve).on("error", reject);
  });
  answer.resume();
  expect(answer.statusCode).toBe(301);
  expect(answer.headers.location).toBe(`https://${hosts.hydra}:${port}/api2/json/version`);
});

async function control(
  ca: string,
  node: string,
  power: string,
  host: string = hosts.hydra,
): Promise<unknown> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = https.request(
      { host, port, ca, method: "PUT", path: `/sim/nodes/${node}?power=${power}` },
      resolve,
    );
    request.on("error", reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return (JSON.parse(Buffer.concat(chunks).toString()) as { data: unknown }).data;
}
