import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeClient, KubeObject, Manifest } from "../../src/clients/kube/index.ts";
import type { Latencies } from "../../src/sim/index.ts";
import { definitionOf, workloadOf } from "../../src/sim/kube/index.ts";
import { addonSite, fleetWith, type AddonSite } from "../support/addons/site.ts";
import { errorsIn, type Told } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Where nodes keep data, none goes before it is whole, and none is done before it is whole again; nor while the file's own gates are closed. */

const latencies: Partial<Latencies> = { rebootMs: 8_000, bootMs: 8_000, leaveMs: 4_000, readyMs: 3_000 };

const fleet = (verbosity?: number, storage = "wait") =>
  fleetWith(["longhorn"], {
    workers: 2,
    cluster: `    rollout:
      workers: 2
      storage: ${storage}
      gates: [{ apiVersion: apps/v1, kind: Deployment, namespace: default, name: web, condition: Available }]
    talos: { extensions: [iscsi-tools, util-linux-tools] }
${verbosity === undefined ? "" : `    patches: [{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "${verbosity}" } } }]\n`}`,
  });

let site: AddonSite;
beforeAll(async () => {
  site = await addonSite(fleet(), { latencies });
  await site.kube.apply({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "default" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "longhorn",
      resources: { requests: { storage: "1Gi" } },
    },
  });
  while ((await robustness(site.kube)) !== "healthy") await site.pass(1_000);
});
afterAll(() => site?.[Symbol.asyncDispose]());

async function robustness(kube: KubeClient): Promise<unknown> {
  const volumes = await kube.list<KubeObject & { status?: { robustness?: string } }>({
    apiVersion: "longhorn.io/v1beta2",
    kind: "Volume",
  });
  return volumes.items[0]?.status?.robustness;
}

/** The file asks for this Deployment. */
const openGates = () =>
  site.kube.apply(workloadOf("Deployment", { name: "web", namespace: "default" }, "web:1") as Manifest);

const waitsOf = ({ timed }: Told, about: RegExp) =>
  timed.flatMap(({ ms, event }) =>
    event.type === "waiting" && about.test(event.what)
      ? [{ ms, step: event.step, seen: event.lastSeen }]
      : [],
  );

test("a node goes when the gates of the file are open, and the next worker when the volumes of Longhorn are whole again", async () => {
  const opened = site.pass(60_000).then(openGates);
  const [told] = await Promise.all([site.up(fleet(99)), opened]);
  expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
  const [closed] = waitsOf(told, /^the gates of the file, before cp-1 goes/);
  expect(closed?.seen).toBe("Deployment default/web is not there");
  expect(waitsOf(told, /^cp-1 to reboot into/)[0]?.ms).toBeGreaterThanOrEqual(60_000);
  const held = waitsOf(told, /^all data to be whole, after worker-1 is back/);
  expect(held[0]?.seen).toMatch(/^Longhorn volume pvc-\S+ \(default\/data\) is degraded$/);
  const finishedMs = told.timed.find(
    ({ event }) => event.type === "finished" && event.step === "lab/config/worker-1",
  )?.ms;
  const [second] = waitsOf(told, /^worker-2 to reboot into/);
  // A copy is made anew within a minute.
  expect((finishedMs ?? 0) - (held[0]?.ms ?? 0)).toBeGreaterThan(45_000);
  expect(second?.ms).toBeGreaterThanOrEqual(finishedMs ?? Infinity);
  expect(await robustness(site.kube)).toBe("healthy");
});

test(
  "where Ceph stays degraded the roll-out ends before any node goes, and says what to do",
  whole,
  async () => {
    await openGates();
    const definition = definitionOf("ceph.rook.io", "v1", "CephCluster", "cephclusters", "Namespaced");
    await site.kube.apply(definition as Manifest);
    const ref = { apiVersion: "ceph.rook.io/v1", kind: "CephCluster" };
    await site.pass(5_000);
    await site.kube.apply({ ...ref, metadata: { name: "ceph", namespace: "default" } });
    const details = { OSD_DOWN: { message: "1 osds down" } };
    await site.kube.patch(
      { ...ref, name: "ceph", namespace: "default" },
      { status: { ceph: { health: "HEALTH_WARN", details } } },
      { subresource: "status" },
    );
    const told = await site.up(fleet(98));
    expect(told.runReport.outcome).toBe("failed");
    const failed = told.events.flatMap((event) => (event.type === "failed" ? [event] : []));
    expect(failed).toMatchObject([
      {
        step: "lab/config/cp-1",
        error: {
          code: "RUN_WAIT_TOO_LONG",
          what: "Gave up waiting for all data to be whole, before cp-1 goes",
          next: expect.stringContaining('then run "slipway up lab"') as string,
        },
      },
    ]);
    expect(failed[0]?.error.why).toContain(
      "Ceph cluster default/ceph is HEALTH_WARN: OSD_DOWN (1 osds down)",
    );
    const skipped = told.events.flatMap((event) => (event.type === "skipped" ? [event.step] : []));
    expect(skipped).toEqual(expect.arrayContaining(["lab/config/worker-1", "lab/config/worker-2"]));
    const ignoring = await site.up(fleet(98, "ignore"));
    expect(ignoring.runReport.outcome, errorsIn(ignoring.events).join("; ")).toBe("done");
  },
);
