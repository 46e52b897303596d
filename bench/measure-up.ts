import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connectFactory } from "../src/clients/factory/index.ts";
import { connectProxmox } from "../src/clients/proxmox/index.ts";
import { dialDirect, realClock, realRandom, scaledClock, type Dial } from "../src/lib/index.ts";
import { plainFiles } from "../src/secrets/index.ts";
import { applyFleet, destroyFleet, type Ending } from "../src/operations/index.ts";
import { parseFleet, type Fleet } from "../src/spec/index.ts";
import type { World } from "../src/world.ts";
import { benchDatacenter, benchFile } from "./bench-fleet.ts";
import { startSim } from "./sim-process.ts";

export interface UpFigures {
  nodes: number;
  speed: number;
  upMs: number;
  /** What Slipway itself says it added. */
  ownMs: number;
  downMs: number;
}

export const secret = "00000000-0000-4000-8000-00000000be7c";

/** Brings a cluster of so many nodes up and down again on the simulated datacenter, in its own compressed time. */
export async function measureUp(
  nodes: number,
  speed: number,
  net: string,
  dial: Dial = dialDirect,
): Promise<UpFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  const datacenter = path.join(folder, "datacenter.yaml");
  await writeFile(datacenter, benchDatacenter(benchFile(nodes, net, 8006, "").hosts, secret, "realistic"));
  const sim = await startSim(datacenter, `${net}.255.1:8006`, speed);
  try {
    const fleet = readFleet(benchFile(nodes, net, 8006, sim.fingerprint).yaml);
    const world = benchWorld(folder, speed, dial);
    const up = await applyFleet(
      {
        fleet,
        selection: {},
        until: "addons",
        acceptDataLoss: [],
        confirm: () => Promise.resolve(true),
      },
      world,
    );
    mustBeDone(up);
    const down = await destroyFleet(
      {
        fleet,
        selection: {},
        isDataLossAccepted: false,
        confirm: () => Promise.resolve(true),
      },
      world,
    );
    mustBeDone(down);
    return { nodes, speed, upMs: up.tookMs, ownMs: up.ownMs, downMs: down.tookMs };
  } finally {
    await sim.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export function benchWorld(folder: string, speed: number, dial: Dial = dialDirect): World {
  const clock = scaledClock(speed);
  const clients = new Map<string, ReturnType<typeof connectProxmox>>();
  return {
    kind: "rehearsal",
    slipway: "bench",
    clock,
    wall: realClock,
    random: realRandom,
    dial,
    dialFor: () => dial,
    addressOf: (host) => Promise.resolve(host),
    dialOver: () => dial,
    folder,
    secretFiles: plainFiles(folder, realRandom),
    filesInGit: () => Promise.resolve([]),
    stop: new AbortController().signal,
    tell: () => {},
    openHelm: () => Promise.reject(new Error("no helm is simulated")),
    fetchText: () => Promise.reject(new Error("nothing leaves this machine")),
    fetchFile: () => Promise.reject(new Error("nothing leaves this machine")),
    cacheFolder: path.join(folder, "cache"),
    openLibvirt: () => Promise.reject(new Error("there is no libvirt")),
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
    openFactory: (url) => connectFactory({ url, dial, clock }),
  };
}

export function readFleet(text: string): Fleet {
  const parsed = parseFleet({ file: "bench.yaml", text });
  if ("fleet" in parsed) return parsed.fleet;
  throw new Error(parsed.problems.map((problem) => `${problem.position.line}: ${problem.what}`).join("\n"));
}

export function mustBeDone(ending: Ending): void {
  if (ending.outcome !== "done")
    throw new Error(`the run ended as ${ending.outcome}: ${ending.error?.why ?? ""}`);
}
