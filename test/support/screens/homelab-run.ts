import type { EventBody, PlannedStep, RunEvent, StepId } from "../../../src/plan/index.ts";
import { homelabSteps } from "./homelab-plan.ts";

export const runStart = Date.parse("2026-07-14T09:31:02.000Z");

/** Events given with their time, numbered and in order. */
export function timed(bodies: { ms: number; body: EventBody }[], run = "20260714-093102"): RunEvent[] {
  return bodies
    .toSorted((a, b) => a.ms - b.ms)
    .map(({ ms, body }, index) => ({
      v: 1,
      seq: index + 1,
      at: new Date(runStart + ms).toISOString(),
      ms,
      run,
      ...body,
    }));
}

export interface HomelabOptions {
  world?: "real" | "rehearsal";
  /** Steps that end badly, with their error. */
  failing?: Map<StepId, Extract<EventBody, { type: "failed" }>["error"]>;
  kept?: string;
}

interface Shift {
  startMs: number;
  endMs: number;
  queuedMs: number;
}

const totalBytes = 1.3 * 1024 ** 3;

/** A whole `up` of the sample cluster, as the engine would tell it. */
export function homelabRun({
  world = "real",
  failing = new Map(),
  kept = "",
}: HomelabOptions = {}): RunEvent[] {
  const steps = homelabSteps();
  const bodies: { ms: number; body: EventBody }[] = [];
  const tell = (ms: number, body: EventBody) => bodies.push({ ms, body });
  tell(0, {
    type: "run",
    command: "up",
    clusters: ["homelab"],
    world,
    slipway: "1.0.0",
    file: "slipway.yaml",
  });
  for (let index = 1; index <= 14; index++) {
    tell(600 + index * 85, {
      type: "check",
      phase: "preflight",
      id: `check-${index}`,
      title: `Check ${index}`,
      status: "ok",
      tookMs: 80 + index * 85,
    });
  }
  tell(1_900, { type: "plan", steps, same: 0, refused: [] });
  const shifts = new Map<StepId, Shift>();
  const freeMs = new Map<string, { ms: number; step: StepId }>();
  const badSteps = new Set(failing.keys());
  for (const step of steps) {
    const broken = step.after.find((id) => badSteps.has(id));
    const readyMs = Math.max(2_000, ...step.after.map((id) => (shifts.get(id)?.endMs ?? 0) + 30));
    if (broken !== undefined) {
      badSteps.add(step.id);
      shifts.set(step.id, { startMs: readyMs, endMs: readyMs, queuedMs: 0 });
      tell(readyMs, { type: "skipped", step: step.id, because: broken });
      continue;
    }
    const shift = shiftOf(step, readyMs, freeMs, tell);
    shifts.set(step.id, shift);
    tellStep(step, shift, failing.get(step.id), tell);
  }
  const lastMs = Math.max(...[...shifts.values()].map((shift) => shift.endMs));
  tellRunReport({ steps, failing, badSteps, kept, lastMs, tell });
  return timed(bodies);
}

type TellAt = (ms: number, body: EventBody) => unknown;

/** Machines of one host are made one after the other, as its storage's lock wants it. */
function shiftOf(
  step: PlannedStep,
  readyMs: number,
  freeMs: Map<string, { ms: number; step: StepId }>,
  tell: TellAt,
): Shift {
  const tookMs = tookOf(step);
  if (step.kind !== "proxmox/machine" || step.host === undefined) {
    return { startMs: readyMs, endMs: readyMs + tookMs, queuedMs: 0 };
  }
  const lock = `${step.host}/local-lvm`;
  const holder = freeMs.get(lock);
  const beginMs = Math.max(readyMs, holder?.ms ?? 0);
  if (holder && holder.ms > readyMs) {
    tell(readyMs + 1, { type: "queued", step: step.id, lock, behind: holder.step });
  }
  freeMs.set(lock, { ms: beginMs + tookMs, step: step.id });
  return { startMs: readyMs, endMs: beginMs + tookMs, queuedMs: beginMs - readyMs };
}

function tookOf(step: PlannedStep): number {
  const slower: Record<string, number> = { hydra: 0, lyra: 4_000, orion: 9_000 };
  const usualMs = step.usualMs ?? 1_000;
  return step.group === "images" ? 38_000 + (slower[step.host ?? ""] ?? 0) : usualMs;
}

function tellStep(
  step: PlannedStep,
  { startMs, endMs, queuedMs }: Shift,
  error: Extract<EventBody, { type: "failed" }>["error"] | undefined,
  tell: TellAt,
): void {
  tell(startMs, { type: "started", step: step.id, action: step.action });
  const tookMs = endMs - startMs;
  if (step.group === "images") {
    for (let ms = 1_000; ms < tookMs; ms += 1_000) {
      const done = Math.round((totalBytes * ms) / tookMs);
      tell(startMs + ms, {
        type: "progress",
        step: step.id,
        done,
        total: Math.round(totalBytes),
        unit: "bytes",
      });
    }
  }
  if (step.id.endsWith("/api")) tellApiWait(step.id, startMs, tookMs, tell);
  if (error) {
    tell(endMs, { type: "failed", step: step.id, error });
    return;
  }
  const out = outOf(step);
  tell(endMs, {
    type: "finished",
    step: step.id,
    tookMs,
    waitedMs: tookMs - queuedMs - 120,
    queuedMs,
    ...(out && { out }),
  });
}

function outOf(step: PlannedStep): Record<string, string | number> | undefined {
  if (step.kind === "proxmox/machine") {
    return { vmid: step.facts?.["vmid"] ?? 0, address: step.facts?.["address"] ?? "" };
  }
  if (step.kind === "talos/etcd") return { detail: "bootstrapped on cp-1, 3 members" };
  if (step.kind === "talos/secrets") return { folder: ".slipway/homelab/" };
  return undefined;
}

function tellApiWait(step: StepId, startMs: number, tookMs: number, tell: TellAt): void {
  for (let sinceMs = 0; sinceMs < tookMs; sinceMs += 2_000) {
    tell(startMs + sinceMs, {
      type: "waiting",
      step,
      what: "192.168.1.100:6443 to answer",
      probe: "tls",
      sinceMs,
      deadlineMs: 300_000,
      usualMs: 34_000,
      lastSeen: "connection refused",
      ...(sinceMs >= 8_000 && {
        cause: `cp-1 is pulling kube-apiserver, image ${sinceMs < 20_000 ? 2 : 3} of 3`,
      }),
    });
  }
}

function tellRunReport(facts: {
  steps: PlannedStep[];
  failing: Map<StepId, unknown>;
  badSteps: Set<StepId>;
  kept: string;
  lastMs: number;
  tell: TellAt;
}): void {
  const { steps, failing, badSteps, kept, lastMs, tell } = facts;
  const hasFailed = failing.size > 0;
  for (let index = 1; index <= (hasFailed ? 0 : 9); index++) {
    const tookMs = index * 660;
    const name = { id: `verify-${index}`, title: `Verified ${index}` };
    tell(lastMs + 10 + tookMs, { type: "check", phase: "verify", ...name, status: "ok", tookMs });
  }
  const endMs = lastMs + (hasFailed ? 20 : 6_000);
  const counts = {
    done: steps.length - badSteps.size,
    failed: failing.size,
    skipped: badSteps.size - failing.size,
    total: steps.length,
  };
  tell(endMs, {
    type: "done",
    outcome: hasFailed ? "failed" : "done",
    exitCode: hasFailed ? 1 : 0,
    counts,
    tookMs: endMs,
    floorMs: endMs - 4_600,
    ownMs: 4_600,
    criticalPath: hasFailed ? [] : homelabPath,
    kept,
    outputs: hasFailed
      ? {}
      : {
          endpoint: "https://192.168.1.100:6443",
          kubeconfig: ".slipway/homelab/kubeconfig",
          nodes: "6 of 6",
        },
  });
}

const homelabPath = [
  "homelab/image/hydra",
  "homelab/machine/cp-1",
  "homelab/config/cp-1",
  "homelab/cluster/etcd",
  "homelab/cluster/api",
  "homelab/addon/cilium",
  "homelab/addon/nfs-csi",
];
