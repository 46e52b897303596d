import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  applyFleet,
  destroyFleet,
  planFleet,
  type ApplyRequest,
  type DestroyRequest,
  type Ending,
} from "../../src/operations/index.ts";
import type { Clock } from "../../src/lib/index.ts";
import { startRehearsal, type Rehearsal } from "../../src/operations/rehearsal-world.ts";
import type { EventBody, Plan } from "../../src/plan/index.ts";
import type { AgeKeys } from "../../src/secrets/index.ts";
import { noLatencies, type Fault, type Latencies } from "../../src/sim/index.ts";
import { giveLabSecrets } from "./lab-secrets.ts";
import { SecretScan } from "./secret-scan.ts";
import { isProxmoxHost, parseFleet, type Fleet } from "../../src/spec/index.ts";

export interface Told {
  ending: Ending;
  events: EventBody[];
}

/** The operations, in this process, on a simulated datacenter without latencies. */
export interface RehearsalSite {
  folder: string;
  rehearsal: Rehearsal;
  up(fleet: Fleet, request?: Partial<ApplyRequest>): Promise<Told>;
  down(fleet: Fleet, request?: Partial<DestroyRequest>): Promise<Told>;
  plan(fleet: Fleet): Promise<Plan>;
  /** What somebody does by hand in the Proxmox web page: stop a machine and remove it. */
  removeByHand(vmid: number): Promise<void>;
  /** VMIDs that exist, sorted. */
  machines(): number[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RehearsalSiteOptions {
  faults?: Fault[];
  speed?: number;
  clock?: Clock;
  /** What takes its time; the rest takes none. */
  latencies?: Partial<Latencies>;
  /** What opens encrypted secrets; a key of its own when left out. */
  keys?: AgeKeys;
  /** Files that come after the first one, whose charts are to be had too. */
  later?: Fleet[];
}

const never = new AbortController().signal;

export async function rehearsalSite(
  fleet: Fleet,
  options: RehearsalSiteOptions = {},
): Promise<RehearsalSite> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rehearsal-"));
  await giveLabSecrets(folder);
  const rehearsal = await startRehearsal(fleet, {
    folder,
    speed: options.speed ?? 40,
    latencies: { ...noLatencies, ...options.latencies },
    faults: options.faults ?? [],
    ...(options.clock && { clock: options.clock }),
    ...(options.later && { later: options.later }),
    ...(options.keys && { keys: options.keys }),
  });
  const scan = new SecretScan();
  const told = async (run: (events: EventBody[]) => Promise<Ending>): Promise<Told> => {
    const events: EventBody[] = [];
    const ending = await run(events);
    scan.listen([], { stdout: JSON.stringify(events), stderr: "" });
    return { ending, events };
  };
  return {
    folder,
    rehearsal,
    up: (wanted, request) =>
      told((events) =>
        applyFleet(
          {
            fleet: wanted,
            selection: {},
            until: "addons",
            acceptDataLoss: [],
            confirm: () => Promise.resolve(true),
            ...request,
          },
          rehearsal.world(never, (event) => events.push(event)),
        ),
      ),
    down: (wanted, request) =>
      told((events) =>
        destroyFleet(
          {
            fleet: wanted,
            selection: {},
            isDataLossAccepted: false,
            confirm: () => Promise.resolve(true),
            ...request,
          },
          rehearsal.world(never, (event) => events.push(event)),
        ),
      ),
    plan: async (wanted) => {
      const request = { fleet: wanted, selection: {}, until: "addons" as const, acceptDataLoss: [] };
      return (
        await planFleet(
          request,
          rehearsal.world(never, () => {}),
        )
      ).plan;
    },
    async removeByHand(vmid) {
      const [host] = fleet.hosts.filter(isProxmoxHost);
      if (!host) throw new Error("the fleet has no host");
      const client = await rehearsal.world(never, () => {}).openProxmox(host);
      const machine = { node: host.proxmox.node, vmid };
      await (await client.stopMachine(machine, never)).wait(never);
      await (await client.removeMachine(machine, never)).wait(never);
    },
    machines: () =>
      Object.keys(rehearsal.datacenter.proxmox.state().vms)
        .map(Number)
        .toSorted((a, b) => a - b),
    async [Symbol.asyncDispose]() {
      await rehearsal.close();
      try {
        scan.end(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A fleet from the text of a cluster file; a wrong text fails the test. */
export function fleetOf(text: string, file = "lab.yaml"): Fleet {
  const parsed = parseFleet({ file, text });
  if ("problems" in parsed) throw new Error(parsed.problems.map((problem) => problem.what).join("\n"));
  return parsed.fleet;
}

/** Every error the events tell, in words. */
export const errorsIn = (events: EventBody[]): string[] =>
  events.flatMap((event) =>
    "error" in event && event.error ? [`${event.error.code} ${event.error.why}`] : [],
  );
