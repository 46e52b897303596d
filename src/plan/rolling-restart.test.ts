import { expect, test } from "vitest";
import type { StepContext } from "./resource.ts";
import { rollingRestart, type RollingGates } from "./rolling-restart.ts";

const controlPlanes = ["cp-1", "cp-2", "cp-3"];

/** Restarts `node` while the cluster answers as told, the last answer for good; says what happened in which order. */
async function restart(
  node: string,
  answers: string[][],
  controls = controlPlanes,
  troubles: (string[] | undefined)[] = [undefined],
  own: string[] = [],
  { staysUp = false, drains = false, fails = false } = {},
): Promise<string[]> {
  const order: string[] = [];
  const left = [...answers];
  const data = [...troubles];
  const gates: RollingGates = {
    healthyNodes: async () => {
      const healthy = new Set((left.length > 1 ? left.shift() : left[0]) ?? []);
      order.push(`healthy: ${[...healthy].join(" ")}`);
      return { controlPlanes: controls, healthy };
    },
    storageTrouble: async () => {
      const trouble = data.length > 1 ? data.shift() : data[0];
      if (trouble) order.push(`data: ${trouble.join(" ") || "whole"}`);
      return trouble;
    },
    ownTrouble: async () => own,
    drain: async (_ctx, _cluster, name) => {
      order.push(`drain ${name}`);
    },
    letPodsIn: async (_cluster, name) => {
      order.push(`let pods in on ${name}`);
    },
  };
  const ctx: StepContext = {
    signal: new AbortController().signal,
    clock: { now: () => 0, sleep: async () => undefined, after: () => () => undefined },
    log: () => undefined,
    progress: () => undefined,
    holding: (_lock, _places, work) => work(),
    rolling: async (group, work, goesAlone) => {
      order.push(`turn of ${group}${(await goesAlone?.()) ? ", alone" : ""}`);
      return work(() => []);
    },
    demandOpen: () => {},
    async waitFor(wait, probe) {
      for (let looks = 0; ; looks += 1) {
        const seen = await probe(this.signal);
        if (seen.done) return seen.value;
        if (looks === 9) throw new Error(`waited too long for ${wait.what}: ${seen.seen}; ${wait.next}`);
      }
    },
  };
  const run = rollingRestart(ctx, { cluster: "lab", node, staysUp, drains }, gates, async () => {
    order.push(`restart ${node}`);
    if (fails) throw new Error("the host refuses");
  });
  await (fails ? run.catch((thrown: Error) => order.push(thrown.message)) : run);
  return order;
}

const all = [...controlPlanes, "worker-1"];
const without = (...gone: string[]): string[] => all.filter((name) => !gone.includes(name));

test("a control plane waits for the others, and the turn ends when it works again", async () => {
  expect(await restart("cp-1", [without("cp-2"), without("cp-2"), all, without("cp-1"), all])).toEqual([
    "turn of lab/restart",
    "healthy: cp-1 cp-3 worker-1",
    "healthy: cp-1 cp-3 worker-1",
    "healthy: cp-1 cp-2 cp-3 worker-1",
    "restart cp-1",
    "healthy: cp-2 cp-3 worker-1",
    "healthy: cp-1 cp-2 cp-3 worker-1",
  ]);
});

test("while another control plane is down, none restarts", async () => {
  await expect(restart("cp-1", [without("cp-2")])).rejects.toThrow("waited too long");
});

test("a control plane that does not work itself may restart, and is not waited for", async () => {
  expect((await restart("cp-2", [without("cp-2")])).at(-1)).toBe("restart cp-2");
});

test("a worker waits for nobody, but is waited for", async () => {
  const order = await restart("worker-1", [without("cp-2"), without("cp-2", "worker-1"), without("cp-2")]);
  expect(order.slice(2)).toEqual(["restart worker-1", "healthy: cp-1 cp-3", "healthy: cp-1 cp-3 worker-1"]);
});

test("a cluster that has not begun has nothing to lose", async () => {
  expect(await restart("cp-1", [[]])).toEqual(["turn of lab/restart", "healthy: ", "restart cp-1"]);
});

test("machines without any control plane are waited for one by one, once one of them works", async () => {
  expect(await restart("web-1", [["web-1", "web-2"], ["web-2"], ["web-1", "web-2"]], [])).toEqual([
    "turn of lab/restart",
    "healthy: web-1 web-2",
    "restart web-1",
    "healthy: web-2",
    "healthy: web-1 web-2",
  ]);
  expect(await restart("web-1", [[]], [])).toEqual(["turn of lab/restart", "healthy: ", "restart web-1"]);
});

test("where nodes keep data, one goes alone, while all of it is whole, and has its turn until it is whole again", async () => {
  const order = await restart("worker-1", [all], controlPlanes, [
    [],
    ["a is degraded"],
    [],
    ["b rebuilds"],
    [],
  ]);
  expect(order).toEqual([
    "data: whole",
    "turn of lab/restart, alone",
    "healthy: cp-1 cp-2 cp-3 worker-1",
    "data: a is degraded",
    "data: whole",
    "restart worker-1",
    "healthy: cp-1 cp-2 cp-3 worker-1",
    "data: b rebuilds",
    "data: whole",
  ]);
});

test("data that does not heal ends the roll-out before the node goes, with what is wrong and what to do", async () => {
  const broken = ["a", "b", "c", "d", "e"].map((name) => `volume ${name} is degraded`);
  await expect(restart("worker-1", [all], controlPlanes, [broken])).rejects.toThrow(
    /all data to be whole, before worker-1 goes: volume a is degraded; volume b is degraded; volume c is degraded and 2 more; Let the storage heal.* "slipway up lab"/,
  );
});

test("what the file asks for holds a node as well", async () => {
  await expect(
    restart("worker-1", [all], controlPlanes, [undefined], ["Cluster shop/orders is not Ready"]),
  ).rejects.toThrow(
    /the gates of the file, before worker-1 goes: Cluster shop\/orders is not Ready; .*rollout\.gates/,
  );
});

test("a node of which only a part starts again is held by neither", async () => {
  const order = await restart("cp-1", [all], controlPlanes, [["a is degraded"]], ["b is closed"], {
    staysUp: true,
    drains: true,
  });
  expect(order).not.toContain("data: a is degraded");
  expect(order).toContain("restart cp-1");
});

test("a node that does not work may be what the data waits for, and restarts", async () => {
  const order = await restart("worker-1", [without("worker-1")], controlPlanes, [["a is degraded"]]);
  expect(order.at(-1)).toBe("restart worker-1");
});

test("pods leave once the gates are passed, and come again when the node works", async () => {
  const order = await restart("worker-1", [all, without("worker-1"), all], undefined, [[]], [], {
    drains: true,
  });
  expect(order.slice(3)).toEqual([
    "data: whole",
    "drain worker-1",
    "restart worker-1",
    "healthy: cp-1 cp-2 cp-3",
    "healthy: cp-1 cp-2 cp-3 worker-1",
    "let pods in on worker-1",
    "data: whole",
  ]);
});

test("a restart that fails leaves no cordon behind", async () => {
  const order = await restart("worker-1", [all], undefined, undefined, [], { drains: true, fails: true });
  expect(order.slice(2)).toEqual([
    "drain worker-1",
    "restart worker-1",
    "let pods in on worker-1",
    "the host refuses",
  ]);
});

test("a node that does not work is not drained: it could not stop its pods", async () => {
  const order = await restart("worker-1", [without("worker-1")], undefined, undefined, [], { drains: true });
  expect(order.slice(2)).toEqual(["restart worker-1"]);
});
