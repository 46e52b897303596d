import { afterAll, beforeAll, expect, test } from "vitest";
import { upFleet } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { addonSite, fleetWith, type AddonSite } from "../support/addons/site.ts";
import { errorsIn } from "../support/sim/rehearsal-site.ts";
import { sampled, whole } from "../support/whole-sweep.ts";

/** Installations that are cut: by a kill after any of the calls that change something, or by Ctrl-C. The next run finishes them. */

const bare = fleetWith([]);
// Objects, a release and objects again, then a proof that makes and removes things of its own.
const wanted = fleetWith(["nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }"]);
const handedOver = fleetWith(["nfs-csi: { server: 10.14.0.5, share: /volume1/k8s, owner: gitops }"]);

let site: AddonSite;

beforeAll(async () => {
  site = await addonSite(bare, { later: [wanted] });
});

afterAll(() => site?.[Symbol.asyncDispose]());

const isWrite = (call: string): boolean => call.startsWith("kube ") && !call.startsWith("kube GET");

interface Cut {
  /** Whether the run is cut at this call, the n-th that changes something. */
  isAt(call: string, writes: number): boolean;
  /** Whether nothing reaches the cluster any more from then on. */
  isKill: boolean;
}

/** Runs `up` until it is cut. Tells how many calls changed something until then. */
async function cutUp(fleet: Fleet, { isAt, isKill }: Cut) {
  const { faults } = site.rehearsal.datacenter;
  const pass = faults.next;
  const stop = new AbortController();
  const events: EventBody[] = [];
  let writes = 0;
  faults.next = (call) => {
    if (isWrite(call)) {
      writes += 1;
      if (!stop.signal.aborted && isAt(call, writes)) stop.abort(new Error("cut"));
    }
    return isKill && stop.signal.aborted && call.startsWith("kube ") ? "refuse" : pass(call);
  };
  try {
    const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
    const world = site.rehearsal.world(stop.signal, (event) => events.push(event));
    const runReport = await upFleet({ ...request, confirm: () => Promise.resolve(true) }, world);
    return { runReport, events, writes };
  } finally {
    faults.next = pass;
  }
}

async function expectConverged(fleet: Fleet, when: string): Promise<void> {
  // A pending release is left alone for half a minute: somebody may be at work on it.
  await site.pass(60_000);
  const again = await site.up(fleet);
  expect(errorsIn(again.events), when).toEqual([]);
  expect(["done", "unchanged"], when).toContain(again.runReport.outcome);
  expect(await site.changes(fleet), when).toEqual([]);
  const history = await site.helm.history({ name: "csi-driver-nfs", namespace: "kube-system" }, signal);
  expect(history.at(-1)?.status, when).toBe("deployed");
}

/** As if it had never been. */
async function clear(when: string): Promise<void> {
  const { events } = await site.up(bare);
  expect(errorsIn(events), when).toEqual([]);
  const { items } = await site.kube.list({ apiVersion: "v1", kind: "Secret", labels: "owner=helm" });
  expect(items, when).toEqual([]);
}

const signal = new AbortController().signal;
const never: Cut = { isAt: () => false, isKill: false };

test(
  "killed after any call that changes something, up converges when it is run again",
  { ...whole, timeout: 600_000 },
  async () => {
    const { writes, runReport } = await cutUp(wanted, never);
    expect(runReport.outcome).toBe("done");
    expect(writes).toBeGreaterThan(12);
    await clear("never cut");
    const points = Array.from({ length: writes - 1 }, (_, index) => index + 1);
    for (const point of sampled(points, 9, 1)) {
      const { runReport: cut } = await cutUp(wanted, { isAt: (_call, count) => count > point, isKill: true });
      const when = `killed after change ${point} of ${writes} (${cut.outcome})`;
      expect(cut.outcome, when).not.toBe("done");
      await expectConverged(wanted, when);
      await clear(when);
    }
  },
);

test("a helm that was killed leaves its release pending, and the next up frees it", async () => {
  // The first Secret is the release, the next change is the first object.
  const isObject = (call: string): boolean =>
    /^kube PATCH .*(serviceaccounts|deployments|daemonsets|clusterroles)/.test(call);
  await cutUp(wanted, { isAt: isObject, isKill: true });
  const release = { name: "csi-driver-nfs", namespace: "kube-system" };
  expect((await site.helm.status(release, signal))?.status).toBe("pending-install");
  expect(await site.changes(wanted)).toEqual([
    expect.stringContaining("update nfs-csi [release csi-driver-nfs: pending-install -> deployed]"),
  ]);
  await expectConverged(wanted, "pending");
  await clear("pending");
});

test("what is half made is not handed over: it is finished first", whole, async () => {
  await cutUp(handedOver, { isAt: (call) => call.includes("storageclasses"), isKill: true });
  expect(await site.changes(handedOver)).toEqual([
    expect.stringMatching(
      /^update nfs-csi \[owner: slipway -> gitops\] .*StorageClass nfs: missing -> there/,
    ),
  ]);
  await expectConverged(handedOver, "incomplete");
  const back = await site.up(wanted);
  expect(errorsIn(back.events)).toEqual([]);
  await clear("incomplete");
});

test("Ctrl-C lets helm come to its end, and the next up goes on from there", async () => {
  const { runReport } = await cutUp(wanted, { isAt: (call) => /POST .*secrets/.test(call), isKill: false });
  expect(runReport).toMatchObject({ outcome: "stopped", exitCode: 130 });
  const status = await site.helm.status({ name: "csi-driver-nfs", namespace: "kube-system" }, signal);
  expect(status?.status).toBe("deployed");
  await expectConverged(wanted, "Ctrl-C");
  await clear("Ctrl-C");
});
