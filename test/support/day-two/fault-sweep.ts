import { expect } from "vitest";
import { faultKinds, type FaultKind } from "../../../src/sim/index.ts";
import { cutRun } from "../sim/cut-run.ts";
import { expectHonest } from "../sim/honest.ts";
import { runningSite, type RehearsalSite } from "../sim/rehearsal-site.ts";
import { watchInvariants } from "../sim/watch-invariants.ts";
import type { Story } from "./story.ts";

/** What only root on the host can mend: the worker that made the machine died and left its lock behind. */
const beyondUs = (call: string, kind: FaultKind): boolean =>
  kind === "die" && call.startsWith("proxmox POST /nodes/{node}/qemu");

/**
 * A story of which each run meets one fault: kinds take turns, and so do the places, near its beginning and far from it. A run
 * ends well or with errors that say what to do; the next one, with another fault, goes on from there. After so many for a leg, one
 * without any must bring it to its end. What dies of a fault is excused; what is taken away after that is not.
 */
export async function faultSweep(story: Story, faultsPerLeg: number): Promise<{ struck: string[] }> {
  await using site = await runningSite(story.fleet, story.options);
  await story.prepare?.(site);
  const struck: string[] = [];
  let turn = 0;
  for (const leg of story.legs) {
    await leg.before?.(site);
    const watch = watchInvariants(site);
    for (let count = 0; ; count += 1) {
      const isLast = count === faultsPerLeg;
      const fault = isLast ? noFault : oneFault(site, (turn += 1), struck, watch.excuse);
      const { events, runReport } = await cutRun(site, (world) => leg.run(world), {});
      fault.disarm();
      const when = `${story.title}, ${leg.title}, after ${struck.slice(-3).join(" | ")}`;
      if (!runReport) throw new Error(`${when}: no end`);
      expectHonest({ runReport, events }, when);
      expect([...watch.broken], when).toEqual([]);
      if (["done", "unchanged"].includes(runReport.outcome)) break;
      const errors = events.flatMap((event) =>
        event.type === "failed" ? [`${event.step} ${event.error.why}`] : [],
      );
      expect(isLast, `${when}: ${runReport.error?.why ?? ""} ${errors.join("; ")}`).toBe(false);
      // Who lost power is noticed, as a person would wait for it.
      await site.pass(60_000);
    }
    expect(watch.end(), `${story.title}, ${leg.title}`).toEqual([]);
    await leg.after(site);
  }
  return { struck };
}

const noFault = { disarm: (): void => {} };

/** The first call after `skip` others that has not met this kind yet does so. */
function oneFault(site: RehearsalSite, turn: number, struck: string[], onDeath: () => void) {
  const { faults } = site.rehearsal.datacenter;
  const pass = faults.next;
  const kind = faultKinds[turn % faultKinds.length] ?? "error";
  let skip = (turn * 61) % 230;
  let isArmed = true;
  faults.next = (call) => {
    skip -= 1;
    const what = `${kind} at ${call}`;
    if (!isArmed || skip > 0 || struck.includes(what) || beyondUs(call, kind)) return pass(call);
    isArmed = false;
    struck.push(what);
    if (kind === "die") onDeath();
    pass(call);
    return kind;
  };
  return { disarm: () => void (faults.next = pass) };
}
