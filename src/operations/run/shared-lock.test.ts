import { describe, expect, onTestFinished, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../test/support/libvirt/libvirtd.ts";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { proxmoxSite, siteHost } from "../../../test/support/proxmox/site.ts";
import { openLibvirt } from "../../clients/libvirt/index.ts";
import { realClock, type Clock } from "../../lib/index.ts";
import type { RunNotes } from "../../plan/index.ts";
import { libvirtProvider } from "../../providers/libvirt/index.ts";
import type { Host } from "../../spec/index.ts";
import { noteText, readHolder } from "./lock-holder.ts";
import { renewEveryMs, sharedLock, staleAfterMs, watchMs } from "./shared-lock.ts";
import { peers } from "../../../test/support/peers.ts";

interface Place {
  notes: RunNotes;
  host: Host;
}

const poolRights = {
  token: "poor@pve!main",
  datacenter: `
roles:
  Machines: [VM.Allocate, VM.Audit, VM.Config.CPU, VM.Config.HWType, VM.Config.Memory, VM.Config.Options, Pool.Audit]`,
  acl: '  - { path: /pool/kube, role: Machines, user: "poor@pve" }',
} as const;

async function onProxmox(version: "9.2" | "8.4", hasPoolOnly = false): Promise<Place> {
  const site = await proxmoxSite({ version, ...(hasPoolOnly && poolRights) });
  onTestFinished(() => site[Symbol.asyncDispose]());
  site.proxmox.state().pools["kube"] = { vms: [], storages: [] };
  return {
    notes: given(site.provider.notes),
    host: siteHost("one", "pve1", hasPoolOnly ? { pool: "kube" } : {}),
  };
}

async function onLibvirt(): Promise<Place> {
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  const host = libvirtHostNamed("desk");
  const notes = given(libvirtProvider({ connect: async () => client }).open([host]).notes);
  onTestFinished(async () => {
    const ctx = contextOf(steppedClock());
    const left = await notes.read(ctx, host, cluster);
    if (left) await notes.remove(ctx, host, cluster, left.version);
    client.close();
  });
  return { notes: notes, host };
}

function given<T>(notes: T | undefined): T {
  if (notes === undefined) throw new Error("nothing can be noted there");
  return notes;
}

const cluster = "slipway-test-lock";
const contextOf = (clock: Clock) => ({ signal: new AbortController().signal, clock, log: () => undefined });

/** Stands still; a wait of ours passes at once, a renewal comes when the test lets it. */
function steppedClock(onWatch: () => Promise<void> = async () => undefined) {
  let now = Date.parse("2026-07-14T09:31:02.000Z");
  const waiting: (() => void)[] = [];
  return {
    now: () => now,
    async sleep(ms: number, signal?: AbortSignal) {
      if (ms === renewEveryMs)
        await new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        });
      else if (ms === watchMs) await onWatch();
      now += ms;
    },
    after: (ms: number, ring: () => void) => realClock.after(ms, ring),
    leap: (ms: number) => (now += ms),
    renewNow: () => waiting.shift()?.(),
  };
}

function run(place: Place, who: string, clock: Clock = steppedClock()) {
  const told: string[] = [];
  const lost: string[] = [];
  const lock = sharedLock({
    cluster,
    ...place,
    me: {
      command: "up",
      by: `${who} on laptop`,
      identity: who,
      run: "r1",
      since: "2026-07-14T09:31:02.000Z",
    },
    clock,
    signal: new AbortController().signal,
    log: (level, text) => told.push(`${level} ${text}`),
    onLost: () => lost.push(who),
  });
  return { ...lock, told, lost };
}

const held = {
  code: "RUN_CLUSTER_HELD",
  why: expect.stringMatching(
    /^"slipway up" of alice on laptop has been working on it since 2026-07-14T09:31:02\.000Z; the lock is on host "(one|desk)"$/,
  ) as unknown,
};

function behaves(open: () => Promise<Place>): void {
  test("one has it, the other is told who and since when, and gets it afterwards", async () => {
    const place = await open();
    const alice = run(place, "alice");
    const bob = run(place, "bob");
    await alice.check();
    await alice.claim();
    await expect(bob.check()).rejects.toMatchObject(held);
    await expect(bob.claim()).rejects.toMatchObject(held);
    await alice.release();
    await bob.check();
    await bob.claim();
    await bob.release();
    expect(await place.notes.read(contextOf(steppedClock()), place.host, cluster)).toBeUndefined();
  });

  test("of many who begin in the same moment, one gets it", async () => {
    const place = await open();
    const runs = ["a", "b", "c", "d"].map((who) => run(place, who));
    const ends = await Promise.allSettled(runs.map((each) => each.claim()));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all(runs.map((each) => each.release()));
  });

  test("a killed run's lock is taken back at once in the same folder", async () => {
    const place = await open();
    await run(place, "alice").claim();
    const again = run(place, "alice");
    await again.check();
    expect(again.told).toEqual([`info took back the lock of ${cluster}, which a run in this folder left`]);
    await again.claim();
    await again.release();
    expect(await place.notes.read(contextOf(steppedClock()), place.host, cluster)).toBeUndefined();
  });

  test("a silent holder is watched and passed over, said aloud, and stops when it wakes up", async () => {
    const place = await open();
    const asleep = steppedClock();
    const alice = run(place, "alice", asleep);
    await alice.claim();
    const clock = steppedClock();
    clock.leap(staleAfterMs + 1);
    const bob = run(place, "bob", clock);
    await bob.check();
    await bob.claim();
    expect(bob.told).toEqual([
      `warn "slipway up" of alice on laptop, since 2026-07-14T09:31:02.000Z, holds ${cluster} and no longer renews its lock; watching for 45s`,
      `warn took over the lock of ${cluster}: its holder is gone`,
    ]);
    asleep.renewNow();
    await expect.poll(() => alice.lost).toEqual(["alice"]);
    expect(alice.told).toEqual([`error the lock of ${cluster} is no longer ours: bob on laptop has it`]);
    await alice.release();
    await expect(run(place, "carol", clock).check()).rejects.toMatchObject({ code: "RUN_CLUSTER_HELD" });
    await bob.release();
  });

  test("a holder whose clock is hours behind is seen to live", async () => {
    const place = await open();
    const slow = steppedClock();
    const alice = run(place, "alice", slow);
    await alice.claim();
    const before = await place.notes.read(contextOf(slow), place.host, cluster);
    const clock = steppedClock(async () => {
      slow.leap(1_000);
      slow.renewNow();
      await expect
        .poll(async () => (await place.notes.read(contextOf(slow), place.host, cluster))?.version)
        .not.toBe(before?.version);
      clock.leap(-3 * 3_600_000);
    });
    clock.leap(3 * 3_600_000);
    await expect(run(place, "bob", clock).claim()).rejects.toMatchObject(held);
    await alice.release();
  });
}

describe.each(["9.2", "8.4"] as const)("on Proxmox %s", (version) => {
  behaves(() => onProxmox(version));
});
describe("on Proxmox with rights on a pool only", () => {
  behaves(() => onProxmox("9.2", true));
});
describe.skipIf(!libvirtSocket)(`on libvirt (${withoutLibvirt})`, peers, () => {
  behaves(onLibvirt);
});

test("what stands on the hypervisor reads well for people, too", () => {
  const holder = {
    cluster: "lab",
    command: "up",
    by: "alice on laptop",
    identity: "x",
    run: "r",
    since: "s",
    renewed: "t",
  };
  const text = noteText(holder);
  expect(text.split("\n")[0]).toBe(
    '"slipway up" of alice on laptop works on lab since s. This goes when it ends.',
  );
  expect(readHolder(text)).toEqual(holder);
  expect(readHolder("notes of somebody")).toBeUndefined();
});
