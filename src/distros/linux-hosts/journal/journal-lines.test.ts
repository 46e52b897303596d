import { expect, test } from "vitest";
import { linesSince, plainLine } from "./journal-lines.ts";

test("linesSince() gives what came after the last start, also when older lines have gone", () => {
  const before = ["a", "b", "c", "d"];
  expect(linesSince(before, ["a", "b", "c", "d", "e"])).toEqual(["e"]);
  expect(linesSince(before, ["b", "c", "d", "e", "f"])).toEqual(["e", "f"]);
  expect(linesSince(before, ["b", "c", "d"])).toEqual([]);
  expect(linesSince(before, ["x", "y"])).toEqual(["x", "y"]);
  expect(linesSince([], ["x"])).toEqual(["x"]);
});

test("linesSince() loses nothing of a loop that writes the same lines again and again", () => {
  const loop = ["start", "why", "exited"];
  expect(linesSince(loop, [...loop, "start", "other", "exited"])).toEqual(["start", "other", "exited"]);
  expect(linesSince([...loop, ...loop], [...loop, ...loop, ...loop])).toEqual(loop);
  expect(linesSince([...loop, ...loop], ["why", "exited", ...loop, "start"])).toEqual(["start"]);
});

test("plainLine() leaves out time and level", () => {
  expect(plainLine('time="2026-11-16T07:00:00Z" level=fatal msg="cannot read \\"a\\""')).toBe(
    'cannot read "a"',
  );
  expect(plainLine("E1116 07:00:00.123456    1234 kubelet.go:12] not ready")).toBe("not ready");
  expect(
    plainLine('{"level":"info","ts":"2026-11-16T08:44:52Z","msg":"ready to serve client requests"}'),
  ).toBe("ready to serve client requests");
  expect(plainLine('level=error msg="first\\n  second" error="refused"')).toBe("first second: refused");
  expect(plainLine("x".repeat(500))).toHaveLength(160);
});
