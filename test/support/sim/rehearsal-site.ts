import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { addons, type AddonDefinition } from "../../../src/addons/index.ts";
import type { AnyDistribution } from "../../../src/distros/index.ts";
import {
  upFleet,
  downFleet,
  planFleet,
  type UpRequest,
  type DownRequest,
  type RunReport,
} from "../../../src/operations/index.ts";
import { startRehearsal, type Rehearsal } from "../../../src/operations/rehearsal/world.ts";
import type { EventBody, Plan, Tell } from "../../../src/plan/index.ts";
import type { AgeKeys } from "../../../src/secrets/index.ts";
import { noLatencies, type Fault, type Latencies } from "../../../src/sim/index.ts";
import { giveLabSecrets } from "./lab-secrets.ts";
import { SecretScan } from "./secret-scan.ts";
import { isProxmoxHost, parseFleet, type Fleet } from "../../../src/spec/index.ts";

export interface Told {
  runReport: RunReport;
  events: EventBody[];
  /** The same, each with its time since the beginning. */
  timed: { ms: number; event: EventBody }[];
}

/** The operations, in this process, on a simulated datacenter without latencies. */
export interface RehearsalSite {
  folder: string;
  rehearsal: Rehearsal;
  /** How long things take from now on. */
  latencies: Latencies;
  up(fleet: Fleet, request?: Partial<UpRequest>): Promise<Told>;
  down(fleet: Fleet, request?: Partial<DownRequest>): Promise<Told>;
  plan(fleet: Fleet): Promise<Plan>;
  /** Lets time pass, and with it what goes on by itself. */
  pass(ms: number): Promise<void>;
  /** What somebody does by hand in the Proxmox web page: stop a machine. */
  stopByHand(vmid: number): Promise<void>;
  /** The same, and remove it. */
  removeByHand(vmid: number): Promise<void>;
  /** VMIDs that exist, sorted. */
  machines(): number[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RehearsalSiteOptions {
  faults?: Fault[];
  /** What takes its time; the rest takes none. */
  latencies?: Partial<Latencies>;
  /** What opens encrypted secrets; a key of its own when left out. */
  keys?: AgeKeys;
  /** Files that come after the first one, whose charts are to be had too. */
  later?: Fleet[];
  /** Add-ons that the fleet may name; all of this version when left out. */
  addons?: readonly AddonDefinition[];
  /** The distributions there are; Slipway's own when left out. */
  distributions?: readonly AnyDistribution[];
}

const never = new AbortController().signal;

export async function rehearsalSite(
  fleet: Fleet,
  options: RehearsalSiteOptions = {},
): Promise<RehearsalSite> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rehearsal-"));
  await giveLabSecrets(folder);
  // A machine that is set up before anybody can listen to its console would be set up twice, which takes longer.
  const latencies: Latencies = { ...noLatencies, cloudInitMs: 1_000, ...options.latencies };
  const rehearsal = await startRehearsal(fleet, {
    folder,
    latencies,
    faults: options.faults ?? [],
    ...(options.later && { later: options.later }),
    ...(options.addons && { addons: options.addons }),
    ...(options.keys && { keys: options.keys }),
    ...(options.distributions && { distributions: options.distributions }),
  });
  const scan = new SecretScan();
  const told = async (run: (tell: Tell) => Promise<RunReport>): Promise<Told> => {
    const { clock } = rehearsal.time;
    const beganAt = clock.now();
    const timed: Told["timed"] = [];
    const runReport = await run((event) => timed.push({ ms: clock.now() - beganAt, event }));
    const events = timed.map(({ event }) => event);
    scan.listen([], { stdout: JSON.stringify(events), stderr: "" });
    return { runReport, events, timed };
  };
  const byHand = async (vmid: number) => {
    const [host] = fleet.hosts.filter(isProxmoxHost);
    if (!host) throw new Error("the fleet has no host");
    const client = await rehearsal.world(never, () => {}).openProxmox(host);
    const node = rehearsal.datacenter.proxmox.state().vms[vmid]?.node ?? host.proxmox.node;
    return { client, machine: { node, vmid } };
  };
  return {
    folder,
    rehearsal,
    latencies,
    up: (wanted, request) =>
      told((tell) =>
        upFleet(
          {
            fleet: wanted,
            selection: {},
            until: "addons",
            acceptDataLoss: [],
            confirm: () => Promise.resolve(true),
            ...request,
          },
          rehearsal.world(never, tell),
        ),
      ),
    down: (wanted, request) =>
      told((tell) =>
        downFleet(
          {
            fleet: wanted,
            selection: {},
            isDataLossAccepted: false,
            confirm: () => Promise.resolve(true),
            ...request,
          },
          rehearsal.world(never, tell),
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
    pass: (ms) => rehearsal.time.clock.sleep(ms),
    async stopByHand(vmid) {
      const { client, machine } = await byHand(vmid);
      await (await client.stopMachine(machine, never)).wait(never);
    },
    async removeByHand(vmid) {
      const { client, machine } = await byHand(vmid);
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

/** The same, with all that the fleet names up and running. */
export async function runningSite(fleet: Fleet, options?: RehearsalSiteOptions): Promise<RehearsalSite> {
  const site = await rehearsalSite(fleet, options);
  const { runReport, events } = await site.up(fleet);
  if (runReport.outcome !== "done") throw new Error(`${runReport.outcome}: ${errorsIn(events).join("; ")}`);
  return site;
}

/** A fleet from the text of a cluster file; a wrong text fails the test. */
export function fleetOf(text: string, file = "lab.yaml"): Fleet {
  const parsed = parseFleet({ file, text }, { addons });
  if ("problems" in parsed) throw new Error(parsed.problems.map((problem) => problem.what).join("\n"));
  return parsed.fleet;
}

/** Every error the events tell, in words. */
export const errorsIn = (events: EventBody[]): string[] =>
  events.flatMap((event) =>
    "error" in event && event.error ? [`${event.error.code} ${event.error.why}`] : [],
  );
