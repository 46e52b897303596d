import { expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import type { Latencies } from "../../src/sim/index.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { probeReach, type ReachReport } from "../support/sim/reach-prober.ts";
import {
  errorsIn,
  fleetOf,
  runningSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";
import { isFull, whole } from "../support/whole-sweep.ts";

/** A change that takes nodes away goes through a cluster in batches, as its file says. */

const never = new AbortController().signal;

interface Size {
  controlPlanes: number;
  workers: number;
}

interface Asked {
  verbosity?: number;
  talos?: string;
  kubernetes?: string;
  memory?: string;
}

const fleet = ({ controlPlanes, workers }: Size, asked: Asked = {}) => {
  const { verbosity, talos = "1.13.9", kubernetes = "1.36.3", memory = "2GiB" } = asked;
  return fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: ${talos} }
    kubernetes: ${kubernetes}
    rollout: { workers: 2 }
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    ${verbosity === undefined ? "" : `patches: [{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "${verbosity}" } } }]`}
    controlPlanes: { count: ${controlPlanes}, cores: 1, memory: ${memory}, address: .10, vmid: 2000 }
    workers: { count: ${workers}, cores: 1, memory: ${memory}, address: .20, vmid: 3000 }
`);
};

const latencies: Partial<Latencies> = { rebootMs: 8_000, bootMs: 8_000, leaveMs: 4_000, readyMs: 3_000 };

const namesOf = (role: string, count: number): string[] =>
  Array.from({ length: count }, (_each, index) => `${role}-${index + 1}`);

/** Knocks at every node. */
function watch(site: RehearsalSite, of: ReturnType<typeof fleet>): ReachReport {
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const targets = of.clusters.flatMap(({ nodes }) =>
    nodes.map(({ name, address: host }) => ({
      name,
      everyMs: 2_000,
      ask: async (signal: AbortSignal) => (await dial({ host, port: 50_000 }, signal)).destroy(),
    })),
  );
  return probeReach(targets, site.rehearsal.time.clock);
}

/** When each node was told to reboot, and when it was back. */
function turnsIn({ timed }: Told) {
  const goneMs = (node: string): number =>
    timed.find(({ event }) => event.type === "waiting" && event.what.startsWith(`${node} to reboot into`))
      ?.ms ?? Infinity;
  const backMs = (node: string): number =>
    timed.find(({ event }) => event.type === "finished" && event.step === `lab/config/${node}`)?.ms ??
    Infinity;
  return { goneMs, backMs };
}

test.skipIf(!isFull)(
  "of six workers two reboot at a time, and none before all three control planes are back",
  whole,
  async () => {
    const size = { controlPlanes: 3, workers: 6 };
    const [controlPlanes, workers] = [namesOf("cp", 3), namesOf("worker", 6)];
    await using site = await runningSite(fleet(size), { latencies });
    const to = fleet(size, { verbosity: 99 });
    const reach = watch(site, to);
    const told = await site.up(to);
    await reach.stop();
    expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
    expect(reach.everAway()).toEqual([...controlPlanes, ...workers]);
    expect(reach.mostAwayOf(controlPlanes)).toBe(1);
    expect(reach.mostAwayOf(workers)).toBe(2);
    const { goneMs, backMs } = turnsIn(told);
    const lastBackMs = Math.max(...controlPlanes.map(backMs));
    expect(Math.min(...workers.map(goneMs))).toBeGreaterThanOrEqual(lastBackMs);
  },
);

test("where a worker does not come back, the other of its batch does, and no further one goes", async () => {
  const size = { controlPlanes: 1, workers: 4 };
  await using site = await runningSite(fleet(size), { latencies });
  const to = fleet(size, { verbosity: 99 });
  const plan = await site.plan(to);
  const input = { command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 };
  expectGolden(showPlan(input, testScreen()), import.meta.dirname, "testdata/rollout/plan-batches.txt");
  const reach = watch(site, to);
  const lost = (async () => {
    while (!reach.everAway().includes("worker-1")) await site.pass(500);
    await site.rehearsal.datacenter.proxmox.cutPower(3000);
  })();
  const told = await site.up(to);
  await Promise.all([lost, reach.stop()]);
  expect(told.runReport.outcome).toBe("failed");
  const stepsOf = (type: "failed" | "finished" | "skipped"): string[] =>
    told.events.flatMap((event) =>
      event.type === type && event.step.startsWith("lab/config/worker") ? [event.step] : [],
    );
  expect(stepsOf("failed")).toEqual(["lab/config/worker-1"]);
  expect(stepsOf("finished")).toEqual(["lab/config/worker-2"]);
  expect(stepsOf("skipped")).toEqual(["lab/config/worker-3", "lab/config/worker-4"]);
  expect(reach.everAway()).toEqual(["cp-1", "worker-1", "worker-2"]);
  const { goneMs, backMs } = turnsIn(told);
  expect(Math.min(goneMs("worker-1"), goneMs("worker-2"))).toBeGreaterThanOrEqual(backMs("cp-1"));
});

test.skipIf(!isFull)(
  "Talos and machines roll two workers at a time as well, and kubelets take none away",
  { ...whole, timeout: 600_000 },
  async () => {
    const size = { controlPlanes: 1, workers: 4 };
    const old = { talos: "1.12.11", kubernetes: "1.35.4" };
    await using site = await runningSite(fleet(size, old), { latencies });
    const mostAway = async (asked: Asked): Promise<number> => {
      const to = fleet(size, asked);
      const reach = watch(site, to);
      const { runReport, events } = await site.up(to);
      await reach.stop();
      expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
      return reach.mostAwayOf(["cp-1", ...namesOf("worker", 4)]);
    };
    expect(await mostAway({ ...old, talos: "1.13.9" })).toBe(2);
    expect(await mostAway({}), "kubelets").toBe(0);
    expect(await mostAway({ memory: "3GiB" })).toBe(2);
    expect((await site.up(fleet(size, { memory: "3GiB" }))).runReport.outcome).toBe("unchanged");
  },
);

const k3s = (version: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { version: ${version}, user: debian, disable: [traefik] }
    rollout: { workers: 2 }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 4, address: .20, vmid: 3000 }
`);

test.skipIf(!isFull)("K3s goes to two agents at a time, when all servers have it", whole, async () => {
  await using site = await runningSite(k3s("1.35.7+k3s1"));
  const { runReport, events } = await site.up(k3s("1.36.3+k3s1"));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const turns = events.flatMap((event) => {
    if (!("step" in event) || !event.step.startsWith("edge/node/")) return [];
    if (event.type === "queued") return [`${event.step.slice(10)} behind ${event.behind.slice(10)}`];
    return event.type === "finished" ? [`${event.step.slice(10)} done`] : [];
  });
  expect(turns).toEqual([
    "cp-1 done",
    ...["worker-3 behind worker-1", "worker-4 behind worker-1", "worker-1 done", "worker-2 done"],
    ...["worker-3 done", "worker-4 done"],
  ]);
});
