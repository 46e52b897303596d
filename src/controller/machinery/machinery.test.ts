import { afterAll, beforeAll, expect, test } from "vitest";
import { managementSite, type ManagementSite } from "../../../test/support/controller/management.ts";
import type { KubeConfigMap, KubeEvent, KubeObject } from "../../clients/kube/index.ts";
import { recordEvents } from "./events.ts";
import { startInformer } from "./informer.ts";
import { acquireLease, leaseTimes, type HeldLease } from "./lease.ts";
import { withTransitionTimes, writeStatus } from "./status.ts";

let site: ManagementSite;

beforeAll(async () => {
  site = await managementSite("127.46.9.1");
}, 60_000);

afterAll(() => site.close());

const configMap = (name: string, value: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { value } },
});
const ref = (kind: string, name: string) => ({ apiVersion: "v1", kind, name, namespace: "default" });

test("an informer knows what is there, through cuts and through a server that has forgotten", async () => {
  const { time, connect, store } = site;
  const { client, cut, mend } = connect();
  const end = new AbortController();
  const told: string[] = [];
  await client.create(configMap("a", "1"));
  const informer = startInformer<KubeConfigMap>({
    client,
    query: { apiVersion: "v1", kind: "ConfigMap", namespace: "default" },
    clock: time.background,
    signal: end.signal,
    onChange: ({ type, object }) =>
      void told.push(`${type} ${object.metadata.name} ${object.data?.["value"] ?? ""}`),
    onTrouble: (why) => void told.push(`trouble ${why.includes("ECONNREFUSED")}`),
  });
  await time.during(informer.synced);
  expect(told).toEqual(["ADDED a 1"]);
  await site.kube.apply(configMap("a", "2"), { isForced: true });
  await time.until(() => told.length === 2);
  cut();
  await site.kube.apply(configMap("b", "1"));
  await site.kube.delete(ref("ConfigMap", "a"));
  store.forgetChanges();
  await time.clock.sleep(60_000);
  mend();
  await time.until(() => informer.get("b") !== undefined && informer.get("a") === undefined);
  expect(told.filter((line) => !line.startsWith("trouble"))).toEqual([
    "ADDED a 1",
    "MODIFIED a 2",
    "ADDED b 1",
    "DELETED a 2",
  ]);
  expect(told).toContain("trouble true");
  end.abort();
  client.close();
});

const lease = (client: ManagementSite["kube"], identity: string, signal: AbortSignal) =>
  acquireLease({ client, clock: site.time.background, namespace: "default", name: "only", identity, signal });

test("one holds the Lease; another has it within 20 s after the first is cut off, which has let go by then", async () => {
  const { time, connect } = site;
  const [one, two] = [connect(), connect()];
  const end = new AbortController();
  const first = await time.during(lease(one.client, "one", end.signal));
  let second: HeldLease | undefined;
  const waiting = lease(two.client, "two", end.signal).then((held) => (second = held));
  await time.clock.sleep(120_000);
  expect([first.lost.aborted, second]).toEqual([false, undefined]);

  one.cut();
  const cutAt = time.clock.now();
  let lostAt = Infinity;
  first.lost.addEventListener("abort", () => (lostAt = time.clock.now()));
  await time.during(waiting);
  const tookMs = time.clock.now() - cutAt;
  expect(tookMs).toBeLessThan(20_000);
  expect(lostAt - cutAt).toBeLessThanOrEqual(leaseTimes.renewWithinMs);
  expect(lostAt).toBeLessThan(time.clock.now());

  // Released, it is free at once.
  one.mend();
  const again = lease(one.client, "one-again", end.signal);
  await time.clock.sleep(3_000);
  await time.during(second?.release() ?? Promise.resolve());
  const releasedAt = time.clock.now();
  await time.during(again);
  expect(time.clock.now() - releasedAt).toBeLessThanOrEqual(leaseTimes.retryMs + 100);
  const found = await site.kube.get<KubeObject & { spec: { leaseTransitions: number } }>({
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: "only", namespace: "default" },
  });
  expect(found?.spec.leaseTransitions).toBe(2);
  end.abort();
  for (const { client } of [one, two]) client.close();
});

test("what is told again is counted in one Event, and too much is cut short", async () => {
  const { time, kube } = site;
  const object = (await kube.get(ref("ConfigMap", "b"))) as KubeObject;
  const record = recordEvents({ client: kube, clock: time.clock, source: "test", instance: "one" });
  const same = { type: "Normal", reason: "Same", message: "again" } as const;
  for (let times = 0; times < 3; times += 1) await record(object, same);
  for (let number = 0; number < 100; number += 1)
    await record(object, { type: "Warning", reason: "Many", message: `number ${number}` });
  const events = (
    await kube.list<KubeEvent & { count: number }>({ apiVersion: "v1", kind: "Event", namespace: "default" })
  ).items;
  expect(events.find(({ reason }) => reason === "Same")?.count).toBe(3);
  expect(events.filter(({ reason }) => reason === "Many")).toHaveLength(22);
});

test("the time of a condition is that of its last change, and a status that says the same is not written", async () => {
  const before = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const at = Date.parse("2026-02-02T00:00:00Z");
  expect(withTransitionTimes([{ type: "Ready", status: "True" }], before, at)).toEqual(before);
  expect(withTransitionTimes([{ type: "Ready", status: "False" }], before, at)).toEqual([
    { type: "Ready", status: "False", lastTransitionTime: "2026-02-02T00:00:00Z" },
  ]);
  const object = { ...configMap("x", "1"), status: { b: 1, a: 2 } };
  const client = { apply: () => Promise.reject(new Error("written")) };
  expect(await writeStatus(client, object, { a: 2, b: 1 }, "test")).toBe(false);
  await expect(writeStatus(client, object, { a: 3, b: 1 }, "test")).rejects.toThrow("written");
});
