import { expect, test } from "vitest";
import { SlipwayError } from "../errors/index.ts";
import { CallTrace, virtualTime } from "../lib/index.ts";
import {
  defineResource,
  same,
  type AnyResource,
  type Change,
  type EventBody,
  type GraphNode,
  type Plan,
  type StepContext,
} from "../plan/index.ts";
import { runPlan } from "./index.ts";

const { clock } = virtualTime();

const passing = (why: string) =>
  new SlipwayError({ code: "TEST_PASSING", what: "Cannot", why, next: "Wait", transient: true });
const lasting = (why: string) =>
  new SlipwayError({ code: "TEST_LASTING", what: "Cannot", why, next: "Mend" });

interface Want {
  name: string;
}

/** A resource whose creation is what the test says. */
function world(create: (name: string, ctx: StepContext) => Promise<void>, read?: (name: string) => boolean) {
  const events: EventBody[] = [];
  const resource = defineResource<Want, Want>({
    kind: "test",
    read: async (_ctx, want) => (read?.(want.name) ? want : undefined),
    compare: () => same,
    create: async (ctx, want) => {
      await create(want.name, ctx);
      return want;
    },
    update: async (_ctx, want) => want,
    remove: async () => {},
  });
  const stop = new AbortController();
  const kinds = new Map<string, AnyResource>([["test", resource]]);
  const run = (steps: Record<string, string[]>, more?: More, changed?: Changed) =>
    runPlan(planOf(steps, more, changed), kinds, {
      clock,
      calls: new CallTrace(),
      stop: stop.signal,
      graceMs: 1_000,
      tell: (event) => events.push(event),
    });
  return { events, stop, run };
}

type More = (name: string) => Partial<GraphNode>;
type Changed = (name: string) => Partial<Change>;

const planOf = (
  steps: Record<string, string[]>,
  more: More = () => ({}),
  changed: Changed = () => ({}),
): Plan => ({
  changes: Object.entries(steps).map(([name, after]): Change => ({
    node: {
      id: name,
      kind: "test",
      name,
      want: { name },
      after,
      group: "nodes",
      stage: "machines",
      cluster: "lab",
      ...more(name),
    },
    action: "create",
    consequence: "create",
    fields: [],
    have: undefined,
    ...changed(name),
  })),
  same: [],
  refused: [],
  found: {},
});

const kinds = (events: EventBody[]) =>
  events.map((event) => ("step" in event ? `${event.type} ${event.step}` : event.type));

test("runPlan() starts a step when all it needs is done, and independent steps at once", async () => {
  const { run, events } = world((_name, ctx) => ctx.clock.sleep(50));
  const result = await run({ image: [], secrets: [], machine: ["image"], config: ["machine", "secrets"] });
  expect(result.finished.map((step) => step.step).at(-1)).toBe("config");
  expect(kinds(events).slice(0, 2)).toEqual(["started image", "started secrets"]);
  expect(kinds(events).indexOf("started machine")).toBeGreaterThan(kinds(events).indexOf("finished image"));
});

test("runPlan() tries a passing fault again, and looks first whether the work was done", async () => {
  let tries = 0;
  let isThere = false;
  const { run, events } = world(
    async () => {
      tries += 1;
      isThere = true;
      throw passing("the reply was lost");
    },
    () => isThere,
  );
  const result = await run({ machine: [] });
  expect(result.failed).toEqual([]);
  expect(tries).toBe(1);
  expect(events.find((event) => event.type === "retried")).toMatchObject({
    attempt: 2,
    because: "the reply was lost",
  });
});

test("runPlan() skips what needs a failed step, names the first cause, and finishes the rest", async () => {
  const { run, events } = world(async (name) => {
    if (name === "machine") throw lasting("storage is full");
  });
  const result = await run({ machine: [], config: ["machine"], ready: ["config"], other: [] });
  expect(result.failed.map((failure) => failure.error.code)).toEqual(["TEST_LASTING"]);
  expect(result.skipped).toEqual(["config", "ready"]);
  expect(events.filter((event) => event.type === "skipped").map((event) => event.because)).toEqual([
    "machine",
    "machine",
  ]);
  expect(result.finished.map((step) => step.step)).toEqual(["other"]);
});

test("runPlan() lets only as many steps through a lock as it has places, and says who is in the way", async () => {
  let inside = 0;
  let most = 0;
  const { run, events } = world((_name, ctx) =>
    ctx.holding("hydra/local-lvm", 2, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await ctx.clock.sleep(200);
      inside -= 1;
    }),
  );
  await run({ a: [], b: [], c: [], d: [] });
  expect(most).toBe(2);
  expect(events.filter((event) => event.type === "queued")).toMatchObject([
    { step: "c", lock: "hydra/local-lvm", behind: "a" },
    { step: "d", behind: "a" },
  ]);
});

test("a failure in a rolling group skips the steps that still wait, with what needs them [proxmox 3]", async () => {
  const begun: string[] = [];
  const { run, events } = world((name, ctx) =>
    ctx.rolling("lab/restart", async () => {
      begun.push(name);
      await ctx.clock.sleep(100);
      if (name === "b") throw new Error("did not come back");
    }),
  );
  const result = await run({ a: [], b: [], c: [], d: [], e: ["d"] });
  expect(begun).toEqual(["a", "b"]);
  expect(result.finished.map(({ step }) => step)).toEqual(["a"]);
  expect(result.failed.map(({ step }) => step)).toEqual(["b"]);
  expect(result.skipped.toSorted()).toEqual(["c", "d", "e"]);
  expect(events.filter((event) => event.type === "skipped")).toMatchObject([
    { step: "c", because: "b" },
    { step: "d", because: "b" },
    { step: "e", because: "b" },
  ]);
});

test("a step of a rolling group that is tried again keeps its turn", async () => {
  const begun: string[] = [];
  const { run } = world((name, ctx) =>
    ctx.rolling("lab/restart", async () => {
      begun.push(name);
      await ctx.clock.sleep(100);
      if (begun.length === 1) throw passing("busy");
    }),
  );
  const result = await run({ a: [], b: [] });
  expect(begun).toEqual(["a", "a", "b"]);
  expect(result.failed).toEqual([]);
});

/** Three control planes and six workers, two of which may be away at once. */
const twoWorkersAtOnce: More = (name) =>
  name.startsWith("cp") ? { role: "control-plane", node: name } : { role: "worker", node: name, atOnce: 2 };
const nodes = ["w1", "w2", "cp1", "w3", "cp2", "w4", "w5", "cp3", "w6"];
const noEdges = Object.fromEntries(nodes.map((name): [string, string[]] => [name, []]));

/** Restarts nodes, each for as long as told, and says who was away together. */
function restarts(awayMs: (name: string) => number, failing: string[] = []) {
  const together: string[] = [];
  const away = new Set<string>();
  const { run, events } = world(async (name, ctx) => {
    await ctx.rolling("lab/restart", async (others) => {
      away.add(name);
      together.push([...away].join(" "));
      await ctx.clock.sleep(1);
      expect(new Set([name, ...others()])).toEqual(away);
      await ctx.clock.sleep(awayMs(name));
      away.delete(name);
      if (failing.includes(name)) throw lasting("did not come back");
    });
  });
  return { together, events, run: (edges = noEdges) => run(edges, twoWorkersAtOnce) };
}

test("workers go in batches, each when all of the last are back, and none before all control planes are done", async () => {
  const { run, together } = restarts((name) => (name === "w1" ? 250 : 100));
  const result = await run();
  expect(result.finished).toHaveLength(9);
  expect(together).toEqual([...["cp1", "cp2", "cp3"], ...["w1", "w1 w2", "w3", "w3 w4", "w5", "w5 w6"]]);
});

test("a plan that wants control planes behind workers gets them there", async () => {
  const { run, together } = restarts(() => 100);
  const result = await run({ w1: [], w2: ["w1"], cp1: ["w2"], cp2: ["cp1"] });
  expect(result.finished).toHaveLength(4);
  expect(together).toEqual(["w1", "w2", "cp1", "cp2"]);
});

test("when a worker fails, those that are away come back and no other goes", async () => {
  const { run, together } = restarts((name) => (name === "w1" ? 200 : 100), ["w2"]);
  const result = await run();
  expect(together).toEqual(["cp1", "cp2", "cp3", "w1", "w1 w2"]);
  expect(result.finished.map(({ step }) => step)).toEqual(["cp1", "cp2", "cp3", "w1"]);
  expect(result.failed.map(({ step }) => step)).toEqual(["w2"]);
  expect(result.skipped.toSorted()).toEqual(["w3", "w4", "w5", "w6"]);
});

test("a control plane that fails without having had its turn stops the workers as well", async () => {
  const { run, events } = world(async (name, ctx) => {
    if (name === "cp2") throw lasting("its config cannot be read");
    await ctx.rolling("lab/restart", () => ctx.clock.sleep(100));
  });
  const result = await run(noEdges, twoWorkersAtOnce);
  expect(result.finished.map(({ step }) => step)).toEqual(["cp1", "cp3"]);
  expect(result.skipped).toHaveLength(6);
  const skipped = events.filter((event) => event.type === "skipped");
  expect(new Set(skipped.map(({ because }) => because))).toEqual(new Set(["cp2"]));
});

/** w1 is off: it is switched on, and then its config is waited for. w2 and w3 run, and restart. */
const oneIsOff: Parameters<ReturnType<typeof world>["run"]> = [
  { w2: [], w3: [], on: [], back: ["on"] },
  (name) => ({
    role: "worker",
    node: name.startsWith("w") ? name : "w1",
    ...(name === "back" && { within: ["on"] }),
  }),
  (name) =>
    name === "on" ? { action: "update", consequence: "hot" } : name === "back" ? { returns: true } : {},
];

test("while a worker that was off is not back, no other goes", async () => {
  const order: string[] = [];
  const { run } = world(async (name, ctx) => {
    if (name === "back") await ctx.clock.sleep(500);
    else await ctx.rolling("lab/restart", () => ctx.clock.sleep(100));
    order.push(name);
  });
  expect((await run(...oneIsOff)).failed).toEqual([]);
  expect(order).toEqual(["back", "w2", "w3"]);
});

test("where a worker that was off does not come back, no other goes", async () => {
  const { run, events } = world(async (name, ctx) => {
    if (name === "back") throw lasting("it does not answer");
    await ctx.rolling("lab/restart", () => ctx.clock.sleep(100));
  });
  const result = await run(...oneIsOff);
  expect([result.finished.map(({ step }) => step), result.skipped]).toEqual([["on"], ["w2", "w3"]]);
  const skipped = events.filter((event) => event.type === "skipped");
  expect(skipped.map(({ because }) => because)).toEqual(["back", "back"]);
});

test("a change of another kind does not wait for control planes that it has nothing to do with", async () => {
  const order: string[] = [];
  const { run } = world(async (name, ctx) => {
    if (name === "cp1") await ctx.clock.sleep(500);
    await ctx.rolling("lab/restart", async () => void order.push(name));
  });
  await run({ cp1: [], w1: [] }, (name) => ({
    ...twoWorkersAtOnce(name),
    cluster: name === "cp1" ? "lab" : "edge",
  }));
  expect(order).toEqual(["w1", "cp1"]);
});

test("runPlan() ends waits at once when it is stopped, starts nothing new, and says what is left", async () => {
  const { run, events, stop } = world(async (name, ctx) => {
    if (name === "task") return ctx.clock.sleep(300);
    await ctx.waitFor({ what: "the moon", probe: "eye", deadlineMs: 60_000 }, async () => ({
      done: false,
      seen: "clouds",
    }));
  });
  clock.after(100, () => stop.abort("SIGINT"));
  const result = await run({ task: [], wait: [], later: ["task"] });
  expect(result.finished.map((step) => step.step)).toEqual(["task"]);
  expect(result.stopped.toSorted()).toEqual(["later", "wait"]);
  expect(events.find((event) => event.type === "stopping")).toMatchObject({
    signal: "SIGINT",
    running: ["task", "wait"],
  });
});

test("a wait that runs out of time says what it waited for and what it saw last", async () => {
  const { run, events } = world((_name, ctx) =>
    ctx.waitFor({ what: "port 50000 to answer", probe: "tcp", deadlineMs: 2_000 }, async () => ({
      done: false,
      seen: "connection refused",
      cause: "the VM is off",
    })),
  );
  const result = await run({ config: [] });
  expect(result.failed[0]?.error).toMatchObject({
    code: "RUN_WAIT_TOO_LONG",
    what: "Gave up waiting for port 50000 to answer",
  });
  expect(result.failed[0]?.error.why).toContain("last seen: connection refused (the VM is off)");
  expect(events.filter((event) => event.type === "waiting")).toHaveLength(1);
});
