import { afterAll, beforeAll, expect, test } from "vitest";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { spread, whole } from "../support/whole-sweep.ts";

/** A rotation is killed (SIGKILL) after one of its events; the same command goes on, and the end is the same. */

async function ready(net: string): Promise<Site> {
  const site = await simSite({ net, workers: 1 });
  const first = await site.run(["up", "--json"]);
  expect(first.code, first.stderr).toBe(0);
  return site;
}

const begin = ["rotate", "ca", "kubernetes", "--yes", "--json"];
const finish = [...begin, "--finish"];

let template: Site;
let counts: [number, number];

beforeAll(async () => {
  template = await ready("127.42.250");
  const first = await template.run(begin);
  expect(first.code, first.stderr).toBe(0);
  const last = await template.run(finish);
  expect(last.code, last.stderr).toBe(0);
  counts = [first.events.length, last.events.length];
});
afterAll(() => template?.[Symbol.asyncDispose]());

async function killed(isLast: boolean, after: number): Promise<void> {
  await using site = await ready("127.42.10");
  if (isLast) await site.run(begin);
  const command = isLast ? finish : begin;
  const cut = await site.run(command, { killAfterEvents: after });
  const last = cut.events.at(-1);
  const when = `${command.join(" ")} killed after event ${after} (${last?.type} ${last && "step" in last ? last.step : ""})`;
  // What lies there is kept and moved no further by anybody but the rotation.
  const up = await site.run(["up", "--yes", "--json"]);
  expect(up.code, `${when}: ${up.stdout}`).toBe(0);
  const again = await site.run(begin);
  expect(again.code, `${when}: ${again.stdout}`).toBe(0);
  // Killed before its first word was written, a rotation has not begun; killed after its last, it is over.
  const end = await site.run(finish);
  const isOver = end.stdout.includes("ROTATE_NOT_UNDER_WAY");
  expect(end.code === 0 || isOver, `${when}: ${end.stdout}`).toBe(true);
  expect((await site.run(["plan"])).stdout, when).toContain("no changes");
}

test(
  "a rotation that is killed anywhere is gone on with by the same command, and up in between breaks nothing",
  { ...whole, timeout: 1_800_000 },
  async () => {
    for (const [index, count] of counts.entries()) {
      const points = Array.from({ length: count - 1 }, (_, at) => at + 2);
      for (const after of spread(points, 3)) await killed(index === 1, after);
    }
  },
);
