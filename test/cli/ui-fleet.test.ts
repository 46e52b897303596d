import { mkdtempSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { customResources } from "../../src/addons/slipway/gen/custom-resources.ts";
import { connectKube } from "../../src/clients/kube/index.ts";
import type { ObjectsAnswer, Session } from "../../src/dashboard/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { browserOf } from "../support/dashboard/served.ts";
import { digest, managedClusters, managedRuns } from "../support/dashboard/managed-objects.ts";
import { simulatedKube, type SimulatedKube } from "../support/kube/simulated-kube.ts";
import { inProcess } from "../support/screens/in-process.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-ui-fleet-"));
let kube: SimulatedKube;
const writes: string[] = [];

beforeAll(async () => {
  kube = await simulatedKube({ host: "127.46.8.3", nodes: [] });
  for (const manifest of customResources) kube.store.create(manifest);
  kube.store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "slipway-system" } });
  const kubeconfig = readFileSync(env().KUBECONFIG, "utf8");
  const client = connectKube({ kubeconfig, dial: dialDirect, clock: realClock });
  for (const { status, ...object } of [...managedClusters(), ...managedRuns()]) {
    kube.store.create(object);
    const { apiVersion, kind, metadata } = object;
    const { name, namespace = "" } = metadata;
    if (status)
      await client.apply(
        { apiVersion, kind, metadata: { name, namespace }, status },
        { subresource: "status" },
      );
  }
  client.close();
});
afterAll(() => kube.stop());

const typed = ["ui", "--fleet", "--no-open"];
const env = () => ({ KUBECONFIG: path.join(kube.home, "config") });

test("slipway ui --fleet shows what the objects of a controller say, and changes nothing", async () => {
  const stopping = new AbortController();
  const seen = new Promise<string>((resolve, reject) => {
    let text = "";
    const hear = (part: string): void => {
      text += part;
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    };
    const ended = inProcess(folder, typed, env(), { stop: stopping.signal, hear });
    ended.then(({ code, stdout, stderr }) => {
      writes.push(`${code}`, stdout, stderr);
      reject(new Error(`ended without an address: ${stderr}`));
    }, reject);
  });
  const browser = browserOf(await seen);
  expect(await browser.ask<Session>("/api/session")).toMatchObject({
    ...{ file: "slipway-system of https://127.46.8.3:16443", clusters: [], canChange: false },
    management: { namespace: "slipway-system" },
  });
  const { clusters, runs } = await browser.ask<ObjectsAnswer>("/api/objects");
  expect(clusters.map(({ name, phase, message }) => [name, phase, message])).toEqual([
    ["busy", "RollingOut", '"up": 3 of 9 steps'],
    ["edge", "Failed", "Cannot reach cp-3"],
    ["fresh", "", "No controller has looked at it yet"],
    ["homelab", "AwaitingApproval", "1 change waits for approval"],
    ["media", "Ready", "all 3 nodes are Ready and nothing is to be changed"],
  ]);
  expect(clusters[4]).toMatchObject({
    ...{
      version: "Talos (v1.13.9) · Kubernetes 1.36.3",
      nodes: { wanted: 3, ready: 3 },
      apply: "OnApproval",
    },
    conditions: [
      { type: "Ready", status: "True", reason: "AsWanted", since: "2026-07-12T09:30:00Z" },
      { type: "Available", status: "True" },
    ],
  });
  expect(clusters[3]?.plan).toEqual({
    ...{ summary: "1 reboot, 1 hot", madeAt: "2026-07-12T09:30:00Z", changes: 2, refused: [] },
    steps: [{ title: "Resize worker-1", consequence: "reboot" }],
    approve: `kubectl -n slipway-system annotate swc homelab slipway.dev/approved-plan=${digest} --overwrite`,
  });
  expect(runs.map(({ run, outcome, tookMs, why }) => [run, outcome, tookMs, why])).toEqual([
    ["busy-40", undefined, undefined, undefined],
    ["busy-30", "cut", undefined, undefined],
    ["edge-20", "failed", 360_000, "Cannot reach cp-3: it stayed silent for 5m (TALOS_UNREACHABLE)"],
    ["media-10", "done", 240_000, undefined],
  ]);
  // Of the specs nothing is told, and of a cluster file there is nothing to ask.
  expect(browser.heard.join()).not.toContain("10.9.8.0");
  for (const place of ["/api/fleet", "/api/runs", "/api/up", "/api/plan"])
    expect(
      (await browser.request(place, { headers: { authorization: `Bearer ${browser.token}` } })).status,
    ).toBe(404);
  expect((await browser.request("/api/objects")).status).toBe(401);
  stopping.abort("SIGINT");
  await expect.poll(() => writes).toHaveLength(3);
  expect(writes[0]).toBe("0");
  expect(writes[1]?.replace(/http:\S+\/#\S+/, "URL")).toContain("it only looks\n");
});

test("it says what it is not for, and that a kubeconfig is missing", async () => {
  const changing = await inProcess(folder, [...typed, "--allow-changes"], env());
  expect([changing.code, changing.stderr]).toEqual([2, expect.stringContaining('"--fleet" shows what')]);
  const nowhere = await inProcess(folder, typed, { KUBECONFIG: path.join(folder, "none") });
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("there is no such file")]);
});
