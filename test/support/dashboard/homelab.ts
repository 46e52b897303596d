import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { RunSummary, TopologyAnswer } from "../../../src/dashboard/protocol.ts";
import type { NodeStatus } from "../../../src/operations/index.ts";
import type { PlannedStep, RunEvent } from "../../../src/plan/index.ts";
import { backups, capacity, certificates } from "./homelab-upkeep.ts";
import type { Script } from "./scripted-server.ts";

const host = (address: string): string =>
  `{ proxmox: { url: "https://${address}:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }`;

const file = `version: 1
hosts:
  hydra: ${host("192.168.1.10")}
  lyra: ${host("192.168.1.11")}
  orion: ${host("192.168.1.12")}
clusters:
  homelab:
    on: [hydra, lyra, orion]
    talos: { version: 1.13.9, extensions: [iscsi-tools, util-linux-tools] }
    network: { cidr: 192.168.1.0/24, gateway: .3, dns: [.3, 1.1.1.1], vip: .100 }
    controlPlanes: { count: 3, cores: 2, memory: 4GiB, disk: 50GiB, address: .101 }
    workers: { count: 3, cores: 4, memory: 8GiB, disk: 50GiB, address: .111, dataDisks: [{ size: 50GiB, for: longhorn }] }
    addons: [cilium]
`;

const program = path.resolve(import.meta.dirname, "../../../bin/slipway.js");

export interface Recorded {
  events: RunEvent[];
  topology: TopologyAnswer;
}

/** A rehearsal of three hosts and six nodes, as the program itself tells it. */
export async function recordHomelab(): Promise<Recorded> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-page-"));
  const run = promisify(execFile);
  const options = { cwd: folder, env: { ...process.env, PVE_TOKEN: "none" }, maxBuffer: 16 * 1024 ** 2 };
  try {
    await writeFile(path.join(folder, "slipway.yaml"), file);
    const told = await run(process.execPath, [program, "rehearse", "slipway.yaml", "--json"], options);
    const drawn = await run(process.execPath, [program, "graph", "--format", "json", "-o", "-"], options);
    const events = told.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent);
    return { events, topology: foundAs(JSON.parse(drawn.stdout) as TopologyAnswer) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The file's topology as it would be found: all ready but one. */
function foundAs(planned: TopologyAnswer): TopologyAnswer {
  if (planned.view !== "topology") throw new Error("not a topology");
  const clusters = planned.clusters.map((cluster) => ({
    ...cluster,
    hosts: cluster.hosts.map((each) => ({
      ...each,
      software: "Proxmox VE 9.1.4",
      machines: each.machines.map((machine, index) => ({
        ...machine,
        vmid: 2000 + index * 1000 + Number(machine.name.at(-1)) - 1,
        ...(machine.name === "worker-2"
          ? { mark: "not-ready" as const, note: "CNI starting" }
          : { mark: "ready" as const }),
      })),
    })),
  }));
  return { ...planned, from: "cluster", clusters };
}

/** The run as a real one that is under way: cut at a moment, and that moment is now. */
export function underWay(events: readonly RunEvent[], untilMs: number): RunEvent[] {
  const told = events.filter(({ ms }) => ms <= untilMs);
  const lastMs = told.at(-1)?.ms ?? 0;
  return told.map((event) => ({
    ...asReal(event),
    at: new Date(Date.now() - (lastMs - event.ms)).toISOString(),
  }));
}

const asReal = (event: RunEvent): RunEvent => (event.type === "run" ? { ...event, world: "real" } : event);

/** The same run when the nodes on one host never answer. */
export function failing(events: readonly RunEvent[]): RunEvent[] {
  const told = events.filter(({ ms, type }) => ms <= 52_000 && type !== "done").map(asReal);
  const plan = told.find((event) => event.type === "plan");
  const steps = plan?.type === "plan" ? plan.steps : [];
  const first = told[0];
  if (!first) throw new Error("nothing was recorded");
  let seq = told.at(-1)?.seq ?? 0;
  const tell = (ms: number, body: object): void =>
    void told.push({
      v: 1,
      seq: ++seq,
      at: new Date(Date.parse(first.at) + ms).toISOString(),
      ms,
      run: first.run,
      ...body,
    } as RunEvent);
  const lost = ["homelab/config/cp-3", "homelab/config/worker-3"];
  const isDone = (id: string): boolean =>
    told.some((event) => event.type === "finished" && event.step === id);
  const rest = steps.filter(({ id }) => !isDone(id) && !lost.includes(id));
  for (const { id } of rest.filter(({ id: step }) => /\/(?:machine|config)\//.test(step)))
    tell(76_000, { type: "finished", step: id, tookMs: 24_000, waitedMs: 24_000, queuedMs: 0 });
  for (const step of lost) {
    const address = step.endsWith("cp-3") ? "192.168.1.103" : "192.168.1.113";
    tell(61_000, { type: "started", step, action: "create" });
    tell(361_000, { type: "failed", step, error: unreachable(step.split("/").at(-1) ?? "", address) });
  }
  for (const { id } of rest.filter(
    ({ id: step }) => !/\/(?:machine|config|image)\//.test(step) && !isDone(step),
  ))
    tell(361_000, { type: "skipped", step: id, because: lost[0] });
  const counts = { done: 16, failed: 2, skipped: 4, total: steps.length };
  tell(361_000, {
    ...{ type: "done", outcome: "failed", exitCode: 1, counts, tookMs: 361_000, floorMs: 0, ownMs: 0 },
    ...{ criticalPath: [], kept: "16 finished steps; nothing was removed", outputs: {} },
  });
  return told;
}

const unreachable = (node: string, address: string) => ({
  code: "TALOS_UNREACHABLE",
  what: `Cannot reach ${node}`,
  why: `${address}:50000 stayed silent for 5m; the machine runs and sends, but has received 0 bytes`,
  next: 'Allow VLAN 14 on the switch port of orion, then run "slipway up edge" again',
  at: { file: "slipway.yaml", line: 18, column: 74, path: "clusters.edge.network.vlan" },
  shared: "orion",
});

export const nodesOf = (count: number, broken: ReadonlySet<number> = new Set()): NodeStatus[] =>
  Array.from({ length: count }, (_, index) => {
    const isPlane = index < 3;
    return {
      node: isPlane ? `cp-${index + 1}` : `worker-${index - 2}`,
      role: isPlane ? "controlPlane" : "worker",
      state: broken.has(index) ? "Not Ready" : "Ready",
      address:
        index < 100
          ? `192.168.1.${(isPlane ? 101 : 108) + index}`
          : `10.${Math.floor(index / 250)}.1.${(index % 250) + 1}`,
      host: ["hydra", "lyra", "orion"][index % 3],
      vmid: isPlane ? 2000 + index : 2997 + index,
      software: "Talos 1.13.9",
      ...(broken.has(index) ? { know: "CNI starting" } : {}),
    } as NodeStatus;
  });

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** A fleet of four, one of each mood, with what the page may ask for. */
export function homelabScript({ events, topology }: Recorded): Script {
  const live = underWay(events, 112_000);
  const plan = events.find((event) => event.type === "plan");
  const run = (name: string, more: Partial<RunSummary>): RunSummary => ({
    ...{ run: name, command: "up", clusters: ["homelab"], world: "real", startedAt: live[0]?.at ?? "" },
    ...more,
  });
  const status = { version: "Talos 1.13.9 · Kubernetes 1.36.3", addons: undefined };
  return {
    session: {
      ...{ slipway: "1.0.0", file: "slipway.yaml", clusters: ["edge", "homelab", "media", "rancher"] },
      ...{ world: "real", canChange: true },
    },
    fleet: {
      at: new Date().toISOString(),
      clusters: [
        {
          ...status,
          cluster: "edge",
          state: "Unreachable",
          ready: 0,
          nodes: nodesOf(5, new Set([0, 1, 2, 3, 4])),
          know: "lyra does not answer since 14m",
        },
        {
          ...status,
          cluster: "homelab",
          state: "Degraded",
          ready: 5,
          nodes: nodesOf(6, new Set([4])),
          certificates: certificates(),
        },
        {
          ...status,
          cluster: "media",
          state: "Ready",
          certificates: certificates(),
          ready: 3,
          nodes: nodesOf(3),
          version: "K3s 1.36.3+k3s1",
        },
        {
          ...status,
          cluster: "rancher",
          state: "Degraded",
          ready: 5,
          nodes: nodesOf(6, new Set([4])),
          version: "K3s 1.35.6+k3s1",
          know: "worker-2 not Ready for 12m: disk pressure, 3% free",
        },
      ],
      capacity: capacity(),
    },
    backups: backups(),
    runs: [
      run("20260712-093102", {}),
      run("20260711-221000", {
        command: "upgrade",
        clusters: ["media"],
        outcome: "done",
        tookMs: 408_000,
        startedAt: ago(86_400_000),
      }),
      run("20260711-180000", {
        clusters: ["edge"],
        outcome: "failed",
        tookMs: 361_000,
        startedAt: ago(90_000_000),
      }),
      run("20260710-120000", {
        world: "rehearsal",
        outcome: "done",
        tookMs: 140_000,
        startedAt: ago(4 * 86_400_000),
      }),
    ],
    journals: new Map([
      ["20260712-093102", live],
      ["20260711-221000", events],
      ["20260711-180000", failing(events)],
      ["20260710-120000", [...events]],
    ]),
    topology,
    plan: {
      ...{ v: 1, kind: "slipway-plan", slipway: "1.0.0", madeAt: new Date().toISOString() },
      ...{ fileDigest: "0".repeat(64), planDigest: "1".repeat(64), same: 41 },
      request: { selection: {}, until: "nodes", acceptDataLoss: [], isSnapshotted: false } as never,
      ...changes(plan?.type === "plan" ? plan.steps : []),
    },
    verify: events.filter(
      (event) =>
        event.type === "run" || event.type === "done" || (event.type === "check" && event.phase === "verify"),
    ),
    doctor: doctorWalk(events),
  };
}

/** Changes of every gravity, made of the steps of a first plan. */
function changes(steps: readonly PlannedStep[]): Pick<NonNullable<Script["plan"]>, "steps" | "refused"> {
  const machine = (node: string): PlannedStep[] => steps.filter(({ id }) => id === `homelab/machine/${node}`);
  const config = steps.filter(({ id }) => id.startsWith("homelab/config/"));
  const update = { action: "update" as const, after: [] };
  return {
    steps: [
      ...config.map((step) => ({
        ...step,
        ...update,
        consequence: "hot" as const,
        usualMs: 5000,
        from: { dns: ".3" },
        to: { dns: ".3, 1.1.1.1" },
      })),
      ...machine("worker-1").map((step) => ({
        ...step,
        ...update,
        consequence: "reboot" as const,
        usualMs: 90_000,
        from: { memory: "8 GiB" },
        to: { memory: "12 GiB" },
      })),
      ...machine("worker-2").map((step) => ({
        ...step,
        ...update,
        action: "replace" as const,
        consequence: "replace" as const,
        usualMs: 120_000,
        from: { bios: "BIOS" },
        to: { bios: "UEFI" },
        keeps: "name, address, VMID, data disk 50 GiB",
      })),
      ...machine("worker-3").map((step) => ({
        ...step,
        ...update,
        consequence: "data" as const,
        from: { "data disk": "100 GiB" },
        to: { "data disk": "50 GiB" },
        loses: "41 GiB in 6 Longhorn replicas; 2 volumes have no other copy",
      })),
    ],
    refused: [
      {
        step: "homelab/machine/worker-3",
        consequence: "data",
        why: "41 GiB in 6 Longhorn replicas live on it",
        next: "slipway up --accept-data-loss worker-3",
      },
    ],
  };
}

function doctorWalk(events: readonly RunEvent[]): RunEvent[] {
  const [first] = events;
  const last = events.at(-1);
  if (!first || last?.type !== "done") throw new Error("nothing was recorded");
  const error = {
    code: "PVE_OUT_OF_MEMORY",
    what: "lyra stopped cp-2",
    why: "out of memory, 63.1 of 64.0 GiB in use",
    next: 'Free 8 GiB on lyra, then run "slipway up homelab"',
  };
  const questions = [
    ["api", "Does the API answer?", "no", "192.168.1.100:6443, timeout 3s"],
    ["vip", "Does a node hold the VIP?", "no", "nobody answers ARP for .100"],
    ["etcd", "Has etcd quorum?", "no", "1 of 3: cp-1 and cp-2 silent"],
    ["who", "Who stopped them?", "lyra", "out of memory, 63.1 of 64.0 GiB in use"],
  ] as const;
  const asked = questions.map(([id, title, answer, found], index) => ({
    ...{
      v: 1,
      seq: index + 2,
      at: first.at,
      ms: 100 * index,
      run: first.run,
      type: "check",
      phase: "doctor",
    },
    ...{ id, title, answer, found, status: "failed", tookMs: 90, parent: questions[index - 1]?.[0] },
    ...(index === questions.length - 1 ? { error } : {}),
  }));
  return [first, ...(asked as RunEvent[]), { ...last, seq: 99, outcome: "failed", exitCode: 1, error }];
}
