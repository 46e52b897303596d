import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Ranking } from "./ranking.ts";

interface Shelf {
  name: number;
  load: number;
}

const keptDisksMachinesOf = (loads: number[]): Shelf[] => loads.map((load, name) => ({ name, load }));
const byLoad = (a: Shelf, b: Shelf): number => a.load - b.load;

test("Ranking knows the best as a look at everything would, and leaves equals in their order", () => {
  const loads = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(loads, fc.array(fc.nat(3), { maxLength: 60 }), (given, more) => {
      const shelves = keptDisksMachinesOf(given);
      const ranking = new Ranking(shelves, byLoad);
      for (const each of more) {
        const [expected] = shelves.toSorted(byLoad);
        expect(ranking.best).toBe(expected);
        if (expected) expected.load += each;
        ranking.bestFellBehind();
      }
    }),
  );
});

test("Ranking of nothing has no best", () => {
  const ranking = new Ranking<Shelf>([], byLoad);
  ranking.bestFellBehind();
  expect(ranking.best).toBeUndefined();
});

test("Ranking compares a handful for each change, not all of a thousand", () => {
  const shelves = keptDisksMachinesOf(Array.from({ length: 1_000 }, () => 0));
  let compared = 0;
  const ranking = new Ranking(shelves, (a, b) => {
    compared += 1;
    return byLoad(a, b);
  });
  compared = 0;
  for (let round = 0; round < 10_000; round += 1) {
    if (ranking.best) ranking.best.load += 1;
    ranking.bestFellBehind();
  }
  expect(compared).toBeLessThanOrEqual(10_000 * 2 * Math.ceil(Math.log2(1_000)));
});
