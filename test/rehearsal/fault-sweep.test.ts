import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  applyFleet,
  destroyFleet,
  startRehearsal,
  type Ending,
  type Rehearsal,
} from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { faultKinds, noLatencies, type Fault, type FaultKind } from "../../src/sim/index.ts";
import { parseFleet, type Fleet } from "../../src/spec/index.ts";
import { Places } from "../../src/lib/index.ts";

/**
 * Each fault at each kind of call of an `up` and a `down`, one at a time. A run ends well after a retry, or with
 * errors that say what, why and what next; then, without the fault, the next run converges.
 */

const fleet = ((): Fleet => {
  const text = `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.9.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000 }
`;
  const parsed = parseFleet({ file: "lab.yaml", text });
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.fleet;
})();

const speed = 40;
const never = new AbortController().signal;
let template: string;
let upCalls: string[];
let downCalls: string[];

beforeAll(async () => {
  template = await mkdtemp(path.join(os.tmpdir(), "slipway-faults-"));
  const rehearsal = await startRehearsal(fleet, { folder: template, speed, latencies: noLatencies });
  const seen = () => [...new Set(rehearsal.datacenter.faults.seen.splice(0))];
  expect((await up(rehearsal)).ending.outcome).toBe("done");
  upCalls = seen();
  expect((await down(rehearsal)).ending.outcome).toBe("done");
  downCalls = seen();
  await rehearsal.close();
}, 60_000);

afterAll(() => rm(template, { recursive: true, force: true }));

interface Told {
  ending: Ending;
  events: EventBody[];
}

async function up(rehearsal: Rehearsal): Promise<Told> {
  const events: EventBody[] = [];
  const ending = await applyFleet(
    {
      fleet,
      selection: {},
      until: "addons",
      acceptDataLoss: [],
      confirm: () => Promise.resolve(true),
    },
    rehearsal.world(never, (event) => events.push(event)),
  );
  return { ending, events };
}

async function down(rehearsal: Rehearsal): Promise<Told> {
  const events: EventBody[] = [];
  const ending = await destroyFleet(
    {
      fleet,
      selection: {},
      isDataLossAccepted: false,
      confirm: () => Promise.resolve(true),
    },
    rehearsal.world(never, (event) => events.push(event)),
  );
  return { ending, events };
}

/** Success, or errors a person can act on. */
function expectHonest({ ending, events }: Told, when: string): void {
  const errors = events.flatMap((event) =>
    (event.type === "failed" || event.type === "check" || event.type === "done") && event.error
      ? [event.error]
      : [],
  );
  for (const error of errors) {
    expect(error.code, `${when}: ${error.why}`).not.toBe("SLIPWAY_DEFECT");
    expect(error.code, when).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/);
    expect(error.what && error.why && error.next, when).toBeTruthy();
    expect(`${error.what} ${error.why} ${error.next}`, when).not.toMatch(/\n\s+at |undefined|\[object/);
  }
  if (ending.outcome !== "done")
    expect(errors.length, `${when} ended as ${ending.outcome} and says nothing`).toBeGreaterThan(0);
}

const reasons = ({ events }: Told): string =>
  events
    .flatMap((event) => ("error" in event && event.error ? [`${event.error.code} ${event.error.why}`] : []))
    .join("; ");

async function withFault(
  fault: Fault,
  story: (rehearsal: Rehearsal, when: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-fault-"));
  await cp(path.join(template, "lab"), path.join(folder, "lab"), { recursive: true });
  const rehearsal = await startRehearsal(fleet, { folder, speed, latencies: noLatencies, faults: [fault] });
  try {
    await story(rehearsal, `${fault.kind} at ${fault.call}`);
  } finally {
    await rehearsal.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function upStory(rehearsal: Rehearsal, when: string): Promise<void> {
  const first = await up(rehearsal);
  expectHonest(first, when);
  const second = await up(rehearsal);
  expect(["done", "unchanged"], `${when}, again: ${reasons(second)}`).toContain(second.ending.outcome);
  expect(Object.keys(rehearsal.datacenter.proxmox.state().vms), when).toHaveLength(2);
  expect(rehearsal.datacenter.talos.bootstraps(), when).toEqual({ lab: 1 });
}

async function downStory(rehearsal: Rehearsal, when: string): Promise<void> {
  await up(rehearsal);
  expectHonest(await down(rehearsal), when);
  const second = await down(rehearsal);
  expect(["done", "unchanged"], `${when}, again: ${reasons(second)}`).toContain(second.ending.outcome);
  expect(Object.keys(rehearsal.datacenter.proxmox.state().vms), when).toHaveLength(0);
}

const atEach = (calls: string[], kind: FaultKind): Fault[] => calls.map((call) => ({ call, kind }));

test.each(faultKinds)(
  "up meets %s at every kind of call and is honest about it",
  { timeout: 280_000 },
  async (kind) => {
    const places = new Places(kind === "hang" ? 12 : 3);
    await Promise.all(atEach(upCalls, kind).map((fault) => places.use(() => withFault(fault, upStory))));
  },
);

test.each(faultKinds)(
  "down meets %s at every kind of call and is honest about it",
  { timeout: 280_000 },
  async (kind) => {
    const onlyDown = downCalls.filter((call) => !upCalls.includes(call));
    const places = new Places(kind === "hang" ? 12 : 3);
    await Promise.all(atEach(onlyDown, kind).map((fault) => places.use(() => withFault(fault, downStory))));
  },
);
