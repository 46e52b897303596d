import type { EventBody, PlannedStep, RunEvent } from "../../../src/plan/index.ts";
import { timed } from "./homelab-run.ts";

const cluster = "fleet-a";

/** A large cluster in the middle of its `up`: 300 nodes on 30 hosts, one failed, two that wait. */
export function fleetRun(nodeCount = 300, hostCount = 30): RunEvent[] {
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    node: `worker-${String(index + 1).padStart(3, "0")}`,
    host: `hydra-${String(Math.floor((index * hostCount) / nodeCount) + 1).padStart(2, "0")}`,
  }));
  const steps = nodes.flatMap(({ node, host }) =>
    ["seed-iso", "machine", "address", "config", "joined", "ready"].map((kind, index, kinds) =>
      planned(kind, node, host, index === 0 ? [] : [`${cluster}/${kinds[index - 1]}/${node}`]),
    ),
  );
  const bodies: { ms: number; body: EventBody }[] = [];
  const tell = (ms: number, body: EventBody) => bodies.push({ ms, body });
  tell(0, {
    type: "run",
    command: "up",
    clusters: [cluster],
    world: "real",
    slipway: "1.0.0",
    file: "slipway.yaml",
  });
  tell(1_000, { type: "plan", steps, same: 0, refused: [] });
  nodes.forEach(({ node }, index) => {
    const own = steps.filter((step) => step.node === node);
    const place = index % 10;
    // Each host makes its nodes in order: seven are done, one is at work, the rest is to come.
    const doneCount = place < 6 ? own.length : place === 6 ? 3 : 0;
    const doneSteps = own.slice(0, doneCount);
    doneSteps.forEach((step, nth) => {
      const ms = 2_000 + place * 20_000 + nth * 3_000;
      tell(ms, { type: "started", step: step.id, action: "create" });
      tell(ms + 2_900, { type: "finished", step: step.id, tookMs: 2_900, waitedMs: 2_800, queuedMs: 0 });
    });
    const next = own[doneCount];
    if (!next || place > 6) return;
    tell(200_000 + index, { type: "started", step: next.id, action: "create" });
    if (node === "worker-087") tellFailure(next.id, tell);
    if (node === "worker-117" || node === "worker-127")
      tellWait(next.id, node === "worker-117" ? 41_000 : 38_000, tell);
  });
  return timed(bodies);
}

function planned(kind: string, node: string, host: string, after: string[]): PlannedStep {
  return {
    id: `${cluster}/${kind}/${node}`,
    title: `Create ${kind} ${node}`,
    kind: `proxmox/${kind}`,
    face: { noun: kind, label: node },
    action: "create",
    consequence: "create",
    group: "nodes",
    after,
    cluster,
    node,
    host,
    usualMs: 30_000,
  };
}

type TellAt = (ms: number, body: EventBody) => unknown;

const tellFailure = (step: string, tell: TellAt) =>
  tell(230_000, {
    type: "failed",
    step,
    error: {
      code: "PVE_STORAGE_FULL",
      what: 'Cannot create machine "worker-087"',
      why: "image import: storage full, 3 GiB short",
      next: 'Free 3 GiB on "local-lvm", then run "slipway up" again',
    },
  });

function tellWait(step: string, sinceMs: number, tell: TellAt): void {
  tell(241_000, {
    type: "waiting",
    step,
    what: "192.168.1.117:50000 to answer",
    probe: "tcp",
    sinceMs,
    deadlineMs: 300_000,
    lastSeen: "port 50000 silent",
  });
}
