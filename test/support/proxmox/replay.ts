import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { scaledClock } from "../../../src/lib/index.ts";
import { parseDatacenter } from "../../../src/sim/datacenter-file.ts";
import { faultBox } from "../../../src/sim/faults.ts";
import type { BootGuest } from "../../../src/sim/guest.ts";
import { noLatencies } from "../../../src/sim/latency.ts";
import { loopbackNetwork } from "../../../src/sim/network.ts";
import { startProxmox, type SimProxmox } from "../../../src/sim/proxmox/index.ts";
import { baselineOf8, baselineOf9 } from "./baseline.ts";
import { peerFile } from "../peers.ts";

// The recordings and the replayer stand in ../shared/conformance beside the repository.
const folder = path.resolve("../shared/conformance");
const recordingFile = path.join(folder, "proxmox-transcripts.json.gz");
export const hasRecordings = peerFile(recordingFile) !== undefined;

export type Version = "9.2" | "8.4";

export interface Difference {
  scenario: string;
  step: number;
  call: string;
  level: number;
  path: string;
  expected?: unknown;
  got?: unknown;
}

export interface Count {
  calls: number;
  l1: number;
  l2: number;
  l3: number;
}

export interface Replayed {
  areas: Record<string, Count>;
  total: Count;
  /** Scenarios that were compared. */
  scenarios: string[];
  /** Scenarios that could not be played to their end, and why. */
  broken: string[];
  differences: Difference[];
}

interface Step {
  step: number;
  pause_before_ms?: number;
}

interface Scenario {
  kind: string;
  id: string;
  version: string;
  steps: Step[];
}

interface Replayer {
  load(file: string): Scenario[];
  replay(options: Record<string, unknown>): Promise<{
    areas: Record<string, Count>;
    total: Count;
    scenarios: (Count & {
      id: string;
      stopped?: string;
      skipped?: string;
      diffs: Omit<Difference, "scenario">[];
    })[];
  }>;
}

/** How much faster than the recorded servers' the simulated clock runs; the recorded pauses shrink with it. */
const speed = 25;

/** Nodes that were cut off by hand before a step of the recording, and given back. */
const cuts: Record<string, Record<number, (sim: SimProxmox) => Promise<void>>> = {
  "node-down-no-quorum": {
    3: (sim) => sim.setNode("pve3", "cut-off"),
    17: (sim) => sim.setNode("pve2", "cut-off"),
    41: async (sim) => {
      await sim.setNode("pve2", "on");
      await sim.setNode("pve3", "on");
    },
  },
};

/** Plays the recorded calls of one version to the simulator and compares every answer. */
export async function replayRecordings(
  version: Version,
  isWanted: (scenario: string) => boolean,
): Promise<Replayed> {
  const replayer = (await import(pathToFileURL(path.join(folder, "replay.mjs")).href)) as Replayer;
  const recording = replayer
    .load(recordingFile)
    .flatMap((part) => (part.kind === "scenario" ? inParts(part) : [part]));
  const scenarios = recording
    .filter((part) => part.kind === "scenario" && part.version === version && isWanted(nameOf(part.id)))
    .map(({ id }) => id);
  const subnet = version === "9.2" ? "127.86.0" : "127.86.1";
  const datacenter = parseDatacenter(version === "9.2" ? baselineOf9 : baselineOf8, "baseline.yaml");
  const entries = Object.keys(datacenter.nodes).map((node, index) => ({
    node,
    host: `${subnet}.${index + 1}`,
    port: 8006,
  }));
  // Nobody managed the highly available machines of the recorded servers.
  const latencies = { ...noLatencies, haRoundMs: 24 * 3_600_000 };
  const clock = scaledClock(speed);
  const sim = await startProxmox({
    datacenter,
    entries,
    network: loopbackNetwork(),
    clock,
    latencies,
    faults: faultBox(),
    boot: bootGuest(clock),
  });
  const files = await mkdtemp(path.join(tmpdir(), "slipway-replay-"));
  const guestImage = path.join(files, "labguest.qcow2");
  await writeFile(guestImage, emptyImage(64 * 2 ** 20));
  try {
    const result = await replayer.replay({
      recording,
      version,
      scenarios,
      entries: Object.fromEntries(entries.map(({ node, host, port }) => [node, `https://${host}:${port}`])),
      tokens: Object.fromEntries(Object.entries(datacenter.tokens).map(([id, { secret }]) => [id, secret])),
      fixtures: { "labguest.qcow2": guestImage },
      fixturesPort: version === "9.2" ? 18_099 : 18_100,
      pauses: true,
      reset: async ({ id, steps }: Scenario) => {
        const cut = cuts[nameOf(id)]?.[steps[0]?.step ?? 0];
        if (cut) return cut(sim);
        await sim.reset();
        // One recording looks at a copy while it is made, one deletes twice at once; elsewhere nothing takes time.
        latencies.importMs = id === "clone-full" ? 8000 : 0;
        latencies.removeMs = id === "vm-create-parallel" ? 3000 : 0;
      },
    });
    return {
      areas: result.areas,
      total: result.total,
      scenarios: [...new Set(result.scenarios.map(({ id }) => nameOf(id)))],
      broken: result.scenarios.flatMap(({ id, stopped, skipped }) => {
        const why = stopped ?? skipped;
        return why === undefined ? [] : [`${id}: ${why}`];
      }),
      differences: result.scenarios.flatMap(({ id, diffs }) =>
        diffs.map((diff) => ({ ...diff, scenario: nameOf(id) })),
      ),
    };
  } finally {
    await sim.close();
    await rm(files, { recursive: true });
  }
}

const nameOf = (id: string): string => id.split(" ")[0] ?? id;

/** Where hands were needed, the scenario goes on as one of its own that starts with them. */
function inParts(scenario: Scenario): Scenario[] {
  const steps = scenario.steps.map((step) => ({
    ...step,
    ...(step.pause_before_ms !== undefined && { pause_before_ms: step.pause_before_ms / speed }),
  }));
  const starts = [0, ...Object.keys(cuts[scenario.id] ?? {}).map(Number), Infinity];
  return starts.slice(0, -1).map((from, index) => ({
    ...scenario,
    id: index === 0 ? scenario.id : `${scenario.id} from ${from}`,
    steps: steps.filter(({ step }) => step >= from && step < (starts[index + 1] ?? Infinity)),
  }));
}

/** Without an image there is no system to answer; with one there is, some seconds after power-on. */
const bootGuest =
  (clock: ReturnType<typeof scaledClock>): BootGuest =>
  (hardware, _disks, power) => {
    const stop = () => Promise.resolve();
    if (!hardware.boot.some(({ image }) => image?.includes("labguest"))) return { stop };
    const readyAt = clock.now() + 8000;
    const addresses = hardware.nics.map(({ mac }, index) => ({
      name: `eth${index}`,
      mac,
      addresses: hardware.seed?.addresses.flatMap((it) => (it.mac === mac ? (it.cidr ?? []) : [])) ?? [],
    }));
    return {
      stop,
      shutdown: () => power.powerOff(),
      get agentAddresses() {
        return clock.now() < readyAt ? undefined : () => addresses;
      },
    };
  };

/** The head of a disk image of that size with nothing in it. */
function emptyImage(bytes: number): Buffer {
  const head = Buffer.alloc(512);
  head.write("QFI\u00fb", 0, "latin1");
  head.writeUInt32BE(3, 4);
  head.writeUInt32BE(16, 20);
  head.writeBigUInt64BE(BigInt(bytes), 24);
  head.writeUInt32BE(104, 100);
  return head;
}
