import net from "node:net";
import { expect, test } from "vitest";
import { emptySurvey, siteCluster, siteNode } from "../../../test/support/proxmox/site.ts";
import { realClock, type Dial } from "../../lib/index.ts";
import { mappedNetwork } from "../../sim/index.ts";
import { addressesCheck } from "./addresses-check.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { Survey } from "../contract/provider.ts";

const nodes = [siteNode("cp-1", { address: "10.1.0.11" }), siteNode("cp-2", { address: "10.1.0.12" })];
const ctx = { signal: new AbortController().signal, clock: realClock, log: () => {} };

async function look(dial: Dial, survey: Survey = emptySurvey(), vip?: string) {
  const usual = siteCluster(nodes);
  const cluster = vip === undefined ? usual : { ...usual, network: { ...usual.network, vip } };
  const [check] = addressesCheck({ cluster, survey, dial, unreachableCheck: "proxmox-api" });
  return check?.run(ctx);
}

const machine = (node: string): OwnedMachine => ({
  cluster: "lab",
  node,
  role: "control-plane",
  host: "one",
  on: "pve1",
  id: 2000,
  isRunning: true,
  image: "",
  memoryMiB: 2048,
  cores: 2,
  dataDisksGiB: [],
  keptDisks: [],
  isProtected: false,
});

test("an address that nobody answers at is free", async () => {
  expect(await look(mappedNetwork().dial)).toMatchObject({ status: "ok", needed: "10.1.0.11, 10.1.0.12" });
});

test("whoever refuses a connection is there, whatever he serves", async () => {
  const wires = mappedNetwork();
  const server = net.createServer();
  const listening = await wires.listen(server, "10.1.0.12", 443);
  expect(await look(wires.dial)).toMatchObject({
    status: "failed",
    error: { code: "NET_ADDRESS_TAKEN", why: "10.1.0.12 for cp-2 refuses port 50000, so it is there" },
  });
  await listening.close();
});

test("machines that exist have their addresses, and one of them the VIP", async () => {
  const wires = mappedNetwork();
  const servers = ["10.1.0.11", "10.1.0.10"].map((host) => wires.listen(net.createServer(), host, 6443));
  const listening = await Promise.all(servers);
  expect(await look(wires.dial, emptySurvey(), "10.1.0.10")).toMatchObject({
    error: {
      why: "10.1.0.11 for cp-1 refuses port 50000, so it is there; 10.1.0.10 for the VIP refuses port 50000, so it is there",
    },
  });
  const ours = emptySurvey({ machines: [machine("cp-1")] });
  expect(await look(wires.dial, ours, "10.1.0.10")).toMatchObject({ status: "ok", needed: "10.1.0.12" });
  await Promise.all(listening.map((each) => each.close()));
});

test("nobody is waited for who never answers", async () => {
  const startedAt = performance.now();
  const dial: Dial = () => new Promise(() => {});
  expect(await look(dial)).toMatchObject({ status: "ok" });
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test("nodes under new names at their old addresses are told to be the cluster's own", async () => {
  const wires = mappedNetwork();
  const listening = await wires.listen(net.createServer(), "10.1.0.11", 50_000);
  const renamed = emptySurvey({ machines: [machine("talos-cp-01")] });
  expect(await look(wires.dial, renamed)).toMatchObject({
    error: {
      code: "NODE_RENAMED",
      why: expect.stringMatching(/^cp-1 would get addresses .* and talos-cp-01 of the cluster/),
    },
  });
  await listening.close();
});

test("a renamed cluster is recognised by its machines", async () => {
  const wires = mappedNetwork();
  const listening = await wires.listen(net.createServer(), "10.1.0.11", 50_000);
  const machines = ["cp-1", "cp-2"].map((node) => ({ ...machine(node), cluster: "old" }));
  expect(await look(wires.dial, emptySurvey({ machines }))).toMatchObject({
    error: { code: "NET_ADDRESS_TAKEN", else: expect.stringContaining('new name of "old"') },
  });
  expect(await look(wires.dial, emptySurvey({ machines: machines.slice(1) }))).toMatchObject({
    error: { code: "NET_ADDRESS_TAKEN", else: undefined },
  });
  await listening.close();
});
