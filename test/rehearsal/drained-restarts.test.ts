import { afterAll, beforeAll, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { KubeClient } from "../../src/clients/kube/index.ts";
import type { Plan } from "../../src/plan/index.ts";
import { killSweep } from "../support/day-two/kill-sweep.ts";
import { restartsOfK3s } from "../support/day-two/stories.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { openKube } from "../support/sim/open-kube.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { watchInvariants } from "../support/sim/watch-invariants.ts";
import { whole } from "../support/whole-sweep.ts";

/** A node that restarts for its memory or its config is drained first, as for an upgrade. */

const fleet = ({ memory = "2GiB", patch = "" } = {}) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 2, cores: 1, memory: ${memory}, address: .20, vmid: 3000${patch} }
`);

const rebooting = ', patches: [{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "99" } } }]';
const labels = { app: "web" };
const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };

let site: RehearsalSite;
let kube: KubeClient;

beforeAll(async () => {
  site = await runningSite(fleet(), {
    latencies: { rebootMs: 4_000, bootMs: 4_000, leaveMs: 2_000, readyMs: 2_000 },
  });
  kube = await openKube(site);
  await kube.create({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "web", image: "nginx:1.29" }] },
      },
    },
  });
  await kube.create({
    ...budget,
    metadata: { name: "web-stays", namespace: "default" },
    spec: { minAvailable: 2, selector: { matchLabels: labels } },
  });
  await site.pass(30_000);
});
afterAll(async () => {
  kube?.close();
  await site?.[Symbol.asyncDispose]();
});

const startedAt = (): unknown[] =>
  [3000, 3001].map((vmid) => site.rehearsal.datacenter.proxmox.state().vms[vmid]?.config["memory"]);

const screenOf = (plan: Plan): string =>
  showPlan(
    { command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 },
    testScreen(),
  ).replaceAll(/web-[0-9a-f]{10}-[0-9a-z]{5}/g, "web-0123456789-abcde");

test("a budget that lets no pod go is named in the plan, and keeps a machine from restarting", async () => {
  const to = fleet({ memory: "3GiB" });
  expectGolden(
    screenOf(await site.plan(to)),
    import.meta.dirname,
    "testdata/rollout/plan-memory-blocked.txt",
  );
  const watch = watchInvariants(site);
  const { runReport, events } = await site.up(to);
  expect(runReport.outcome).toBe("failed");
  const failed = events.find((event) => event.type === "failed");
  expect(failed?.type === "failed" && failed.error).toMatchObject({
    code: "RUN_DRAIN_BLOCKED",
    why: expect.stringMatching(/default\/web-.*disruption budget web-stays needs 2 healthy pods/) as string,
  });
  expect(startedAt()).toEqual(["2048", "2048"]);
  expect([...watch.cordoned]).toHaveLength(1);
  expect(watch.end()).toEqual([]);
});

test("where budgets allow it, each worker is drained, restarts with its memory, and takes pods again", async () => {
  await kube.patch({ ...budget, namespace: "default", name: "web-stays" }, { spec: { minAvailable: 1 } });
  await site.pass(5_000);
  const to = fleet({ memory: "3GiB" });
  const watch = watchInvariants(site);
  const { runReport, events } = await site.up(to);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(startedAt()).toEqual(["3072", "3072"]);
  expect([...watch.cordoned].toSorted()).toEqual(["worker-1", "worker-2"]);
  expect(watch.end()).toEqual([]);
});

test("so it does for a config that needs a reboot", async () => {
  const to = fleet({ memory: "3GiB", patch: rebooting });
  expectGolden(
    screenOf(await site.plan(to)),
    import.meta.dirname,
    "testdata/rollout/plan-config-drained.txt",
  );
  const watch = watchInvariants(site);
  const { runReport, events } = await site.up(to);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect([...watch.cordoned].toSorted()).toEqual(["worker-1", "worker-2"]);
  expect(watch.end()).toEqual([]);
});

test("a cordon that a killed run has left on a node of K3s is lifted by the next", whole, async () => {
  const at = /^(before|after) kube PATCH .*nodes\/worker-1/;
  const { places } = await killSweep(restartsOfK3s, { at });
  expect(places.length).toBe(2);
});
