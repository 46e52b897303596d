import { expect, test } from "vitest";
import { spareProblem, toleranceText, type KnownMember } from "./quorum.ts";

/** `cp-2!` is not healthy, `cp-3?` does not vote yet. */
const members = (text: string): KnownMember[] =>
  text.split(" ").map((word) => {
    const name = word.replace(/[!?]$/, "");
    return { id: name, name, address: "", isLearner: word.endsWith("?"), isHealthy: !word.endsWith("!") };
  });

test.each([
  ["cp-1 cp-2 cp-3", "cp-3"],
  ["cp-1 cp-2", "cp-2"],
  ["cp-1 cp-2! cp-3", "cp-2"],
  ["cp-1 cp-2 cp-3 cp-4 cp-5!", "cp-4"],
  ["cp-1 cp-2 cp-3 cp-4! cp-5!", "cp-5"],
])("spareProblem() of %s lets %s go", (all, leaving) => {
  expect(spareProblem(members(all), leaving)).toBeUndefined();
});

test.each([
  ["cp-1", "cp-1", "cp-1 is its only member"],
  ["cp-1! cp-2", "cp-2", "0 of 1 are healthy, and 1 have to be: cp-1 cannot be heard"],
  ["cp-1 cp-2! cp-3", "cp-3", "1 of 2 are healthy, and 2 have to be: cp-2 cannot be heard"],
  ["cp-1 cp-2! cp-3!", "cp-3", "1 of 2 are healthy, and 2 have to be: cp-2 cannot be heard"],
  [
    "cp-1 cp-2 cp-3 cp-4! cp-5!",
    "cp-3",
    "2 of 4 are healthy, and 3 have to be: cp-4 and cp-5 cannot be heard",
  ],
  ["cp-1 cp-2 cp-3?", "cp-2", "cp-3 is joining and does not vote yet"],
])("spareProblem() of %s keeps %s", (all, leaving, why) => {
  expect(spareProblem(members(all), leaving)).toContain(why);
});

test("spareProblem() counts those that leave before as gone", () => {
  expect(spareProblem(members("cp-1 cp-2 cp-3!"), "cp-2", ["cp-3"])).toBeUndefined();
  expect(spareProblem(members("cp-1! cp-2 cp-3"), "cp-2", ["cp-3"])).toContain("cp-1 cannot be heard");
});

test("toleranceText() says how many may fail, and until when", () => {
  expect([1, 2, 3, 4, 5].map((count) => toleranceText(count))).toEqual([
    "1 member: none may fail",
    "2 members: none may fail",
    "3 members: 1 may fail",
    "4 members: 1 may fail",
    "5 members: 2 may fail",
  ]);
  expect(toleranceText(2, "cp-2 has left")).toBe("2 members until cp-2 has left: none may fail");
});
