import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { realClock } from "../../../lib/index.ts";
import type { Consequence, ReadContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { nodeReads } from "./node-system.ts";

const nobody = {} as TalosAccess;
const reading: ReadContext = { signal: new AbortController().signal, clock: realClock, log: () => {} };
const somewhere = { cluster: "lab", endpoint: "https://192.0.2.9:6443", address: "192.0.2.1" };
const planning = (): ReadContext => ({ ...reading, seen: {} });

/** Asks what a change means, and counts how often a node is asked for it. */
function counting() {
  const reads = nodeReads(nobody);
  const asked: string[] = [];
  const tell = (ctx: ReadContext, key: string, consequence: Consequence) =>
    reads.consequence(ctx, {
      key,
      ask() {
        asked.push(key);
        return Promise.resolve(consequence);
      },
    });
  return { asked, tell };
}

test("nodeReads() lets the first of many nodes say what the same change means, once per plan", async () => {
  const { asked, tell } = counting();
  const plan = planning();
  expect(await tell(plan, "env", "reboot")).toBe("reboot");
  expect(await tell(plan, "env", "hot")).toBe("reboot");
  expect(await tell(plan, "sysctls", "hot")).toBe("hot");
  expect(asked).toEqual(["env", "sysctls"]);
  await tell(planning(), "env", "reboot");
  expect(asked).toEqual(["env", "sysctls", "env"]);
});

test("nodeReads() asks every node what a change means while a plan is carried out", async () => {
  const { asked, tell } = counting();
  expect(await tell(reading, "env", "reboot")).toBe("reboot");
  expect(await tell(reading, "env", "hot")).toBe("hot");
  expect(asked).toEqual(["env", "env"]);
});

test("nodeReads() asks so many nodes at a time that the last of a thousand still has its time", async () => {
  const asked = { now: 0, most: 0 };
  const using = async () => {
    asked.now += 1;
    asked.most = Math.max(asked.most, asked.now);
    await setImmediate();
    asked.now -= 1;
    return { probe: { state: "ours" } };
  };
  const access = { findBundle: () => Promise.resolve({}), world: { clock: realClock }, using };
  const reads = nodeReads(access as unknown as TalosAccess);
  const plan = planning();
  const node = (index: number) => ({ ...somewhere, node: `worker-${index}` });
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => reads.node(plan, node(index))),
  );
  expect(answers).not.toContain(undefined);
  expect(asked.most).toBe(50);
});
