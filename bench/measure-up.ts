import path from "node:path";
import { connectFactory } from "../src/clients/factory/index.ts";
import { connectProxmox } from "../src/clients/proxmox/index.ts";
import { CallTrace, dialDirect, realClock, realRandom, scaledClock, type Dial } from "../src/lib/index.ts";
import type { EventBody } from "../src/plan/index.ts";
import { plainFiles } from "../src/secrets/index.ts";
import { downFleet, openRehearsal, upFleet, type RunReport } from "../src/operations/index.ts";
import { parseFleet, type Fleet } from "../src/spec/index.ts";
import type { World } from "../src/world/world.ts";
import { benchFile } from "./bench-fleet.ts";

/** In the time of the simulated datacenter, which stands still while anything is computed: the same on every machine. */
export interface UpFigures {
  nodes: number;
  upMs: number;
  downMs: number;
  /** The steps that each waited for the one before, and what they waited for. */
  path: PathStep[];
}

export interface PathStep {
  step: string;
  startMs: number;
  endMs: number;
  /** Each thing it waited for, and since when. */
  waits: { sinceMs: number; what: string }[];
}

export const secret = "00000000-0000-4000-8000-00000000be7c";
const anyFingerprint = Array.from({ length: 32 }, () => "BE").join(":");

/** Brings a cluster of so many nodes up and down again in one process with its datacenter, in virtual time. */
export async function measureUp(nodes: number): Promise<UpFigures> {
  const fleet = readFleet(benchFile(nodes, "10.60", 8006, anyFingerprint).yaml);
  const selection = {};
  const rehearsal = await openRehearsal({ fleet });
  const steps = new Map<string, PathStep>();
  const world = rehearsal.world(new AbortController().signal, (event) =>
    noteStep(steps, event, world.clock.now() - startedAt),
  );
  const startedAt = world.clock.now();
  const confirm = () => Promise.resolve(true);
  try {
    const up = await upFleet({ fleet, selection, until: "addons", acceptDataLoss: [], confirm }, world);
    mustBeDone(up);
    // Some of these steps have the names of those that remove.
    const criticalPath = structuredClone(up.criticalPath.flatMap((step) => steps.get(step) ?? []));
    const down = await downFleet({ fleet, selection, isDataLossAccepted: false, confirm }, world);
    mustBeDone(down);
    return { nodes, upMs: up.tookMs, downMs: down.tookMs, path: criticalPath };
  } finally {
    await rehearsal.close();
  }
}

function noteStep(steps: Map<string, PathStep>, event: EventBody, atMs: number): void {
  if (event.type !== "started" && event.type !== "waiting" && event.type !== "finished") return;
  const step = steps.get(event.step) ?? { step: event.step, startMs: atMs, endMs: atMs, waits: [] };
  steps.set(event.step, step);
  if (event.type === "finished") step.endMs = atMs;
  if (event.type === "waiting" && step.waits.at(-1)?.what !== event.what)
    step.waits.push({ sinceMs: atMs - event.sinceMs, what: event.what });
}

/** For a simulated datacenter in another process, at the speed of the wall. */
export function benchWorld(folder: string, speed: number, dial: Dial = dialDirect): World {
  const clock = scaledClock(speed);
  const clients = new Map<string, ReturnType<typeof connectProxmox>>();
  const secretFiles = plainFiles(folder, realRandom);
  return {
    kind: "rehearsal",
    slipway: "bench",
    clock,
    wall: realClock,
    random: realRandom,
    calls: new CallTrace(),
    redaction: secretFiles.redaction,
    dial,
    dialFor: () => dial,
    addressOf: (host) => Promise.resolve(host),
    dialOver: () => dial,
    folder,
    secretFiles,
    filesInGit: () => Promise.resolve([]),
    stop: new AbortController().signal,
    tell: () => {},
    openHelm: () => Promise.reject(new Error("no helm is simulated")),
    fetchText: () => Promise.reject(new Error("nothing leaves this machine")),
    fetchFile: () => Promise.reject(new Error("nothing leaves this machine")),
    cacheFolder: path.join(folder, "cache"),
    openLibvirt: () => Promise.reject(new Error("there is no libvirt")),
    openBmc: () => Promise.reject(new Error("no management controller is simulated")),
    openOwnSsh: () => Promise.reject(new Error("nobody logs in here")),
    wake: () => Promise.resolve(),
    resolveSecret: () => Promise.resolve(""),
    async openProxmox({ proxmox: { url, token, tls } }) {
      const known = clients.get(url);
      if (known) return known;
      const trust = "fingerprint" in tls ? tls : { insecure: true as const };
      const client = connectProxmox({ url, token: { id: token.id, secret }, trust, dial, clock });
      clients.set(url, client);
      return client;
    },
    openProxmoxAs: async ({ proxmox: { url } }, token) =>
      connectProxmox({ url, token, trust: { insecure: true }, dial, clock }),
    openS3: () => Promise.reject(new Error("no bucket here")),
    runProgram: () => Promise.reject(new Error("no program here")),
    openFactory: (url) => connectFactory({ url, dial, clock }),
  };
}

export function readFleet(text: string): Fleet {
  const parsed = parseFleet({ file: "bench.yaml", text });
  if ("fleet" in parsed) return parsed.fleet;
  throw new Error(parsed.problems.map((problem) => `${problem.position.line}: ${problem.what}`).join("\n"));
}

export function mustBeDone(runReport: RunReport): void {
  if (runReport.outcome !== "done")
    throw new Error(`the run ended as ${runReport.outcome}: ${runReport.error?.why ?? ""}`);
}
