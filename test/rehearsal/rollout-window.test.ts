import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { whileTimeStands } from "../../src/lib/index.ts";
import type { Latencies } from "../../src/sim/index.ts";
import { runProgramWith } from "../../src/world/run-program.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import {
  errorsIn,
  fleetOf,
  runningSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";

/** When nodes may go: in the window of the file, and while its own commands end well. */

const latencies: Partial<Latencies> = { rebootMs: 65_000, bootMs: 8_000, leaveMs: 4_000, readyMs: 3_000 };

const fleet = (verbosity: number | undefined, rollout: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    rollout: ${rollout}
    ${verbosity === undefined ? "" : `patches: [{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "${verbosity}" } } }]`}
    controlPlanes: { count: 1, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, cores: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

let site: RehearsalSite;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-gate-"));
  site = await runningSite(fleet(undefined, "{ workers: 1 }"), { latencies });
});
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const minuteMs = 60_000;

/** From so many minutes on, for so many, as the clock of the rehearsal goes; it is moved to the beginning of a minute. */
async function windowIn(minutes: number, length: number): Promise<string> {
  const { clock } = site.rehearsal.time;
  await site.pass(minuteMs - (clock.now() % minuteMs));
  const at = (after: number): string => new Date(clock.now() + after * minuteMs).toISOString().slice(11, 16);
  return `{ window: { from: "${at(minutes)}", to: "${at(minutes + length)}" } }`;
}

const finished = ({ events }: Told, about: RegExp): string[] =>
  events.flatMap((event) => (event.type === "finished" && about.test(event.step) ? [event.step] : []));

test("outside of its window a change that takes nodes away waits, and all else is done", async () => {
  const rollout = await windowIn(60, 30);
  const to = fleet(99, rollout);
  const plan = await site.plan(to);
  const opens = plan.changes.find(({ waits }) => waits !== undefined)?.waits;
  expect(opens?.untilMs).toBe(site.rehearsal.time.clock.now() + 60 * minuteMs);
  const screen = showPlan(
    { command: "plan", file: "lab.yaml", clusters: ["lab"], plan, readAgoMs: 100 },
    testScreen(),
  );
  expectGolden(
    screen.replaceAll(opens?.text ?? "", "Sat 02:00 UTC"),
    import.meta.dirname,
    "testdata/rollout/plan-outside-window.txt",
  );
  const { runReport, events } = await site.up(to);
  expect(runReport).toMatchObject({ outcome: "waiting", exitCode: 3, error: { code: "RUN_OUTSIDE_WINDOW" } });
  expect(runReport.error?.next).toContain(`from ${opens?.text} on`);
  expect(events.some((event) => event.type === "started" && event.step.startsWith("lab/config/"))).toBe(
    false,
  );
});

test("at the end of its window a roll-out stops between two nodes, and goes on in the next, or by hand", async () => {
  const to = fleet(98, await windowIn(0, 1));
  const told = await site.up(to);
  expect(told.runReport, errorsIn(told.events).join("; ")).toMatchObject({ outcome: "waiting", exitCode: 3 });
  const before = finished(told, /config/);
  expect(before).toEqual(["lab/config/cp-1"]);
  const skipped = told.events.flatMap((event) => (event.type === "skipped" ? [event] : []));
  expect(skipped[0]?.why).toMatch(/^the window has closed, it opens again \w{3} \d\d:\d\d UTC$/);
  // The node that was away when it closed is back and takes pods.
  const plan = await site.plan(to);
  expect(plan.changes.filter(({ node }) => node.kind === "talos/config")).toHaveLength(1);
  const again = await site.up(fleet(98, await windowIn(60, 30)), { isOutsideWindow: true });
  expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
  expect([...before, ...finished(again, /config/)]).toEqual(
    ["cp-1", "worker-1"].map((name) => `lab/config/${name}`),
  );
});

test("a command of the file holds nodes until it ends well, and its last line is told", async () => {
  const script = path.join(folder, "is-quiet.mjs");
  const state = path.join(folder, "state");
  // What is in the environment is told, so that it can be seen what is not.
  await writeFile(
    script,
    `import fs from "node:fs";
const isQuiet = fs.existsSync(${JSON.stringify(state)});
console.log("still", Object.keys(process.env).filter((name) => /SLIPWAY|SECRET/.test(name)).join(), isQuiet ? "quiet" : "busy");
process.exit(isQuiet ? 0 : 4);
`,
  );
  const run = runProgramWith({ PATH: process.env["PATH"], MY_SECRET: "hunter2" });
  const { world } = site.rehearsal;
  site.rehearsal.world = (stop, tell) => ({
    ...world(stop, tell),
    runProgram: (...call) => whileTimeStands(() => run(...call)),
  });
  const command = JSON.stringify([process.execPath, script]);
  const opened = site.pass(40_000).then(() => writeFile(state, ""));
  const [told] = await Promise.all([site.up(fleet(96, `{ gates: [{ command: ${command} }] }`)), opened]);
  expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
  const [held] = told.timed.flatMap(({ ms, event }) =>
    event.type === "waiting" && event.what.startsWith("the gates of the file") ? [{ ms, event }] : [],
  );
  expect(held?.event.lastSeen).toMatch(/is-quiet\.mjs ended with 4: still SLIPWAY_CLUSTER busy$/);
  const none = await site.up(fleet(95, "{ gates: [{ command: [./nothing-here] }] }"));
  expect(none.runReport.outcome).toBe("failed");
  expect(errorsIn(none.events).join()).toContain("RUN_GATE_NOT_RUN");
  expect(finished(none, /config/)).toEqual([]);
  site.rehearsal.world = world;
});
