import { expect, test } from "vitest";
import { realClock } from "../../../lib/index.ts";
import type { Consequence, ReadContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { nodeReads } from "./node-system.ts";

const nobody = {} as TalosAccess;
const reading: ReadContext = { signal: new AbortController().signal, clock: realClock, log: () => {} };
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
