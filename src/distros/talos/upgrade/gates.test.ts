import { expect, test } from "vitest";
import { troubleAmong } from "./gates.ts";

const member = (hostname: string, id: string, isLearner = false) => ({
  ...{ id, hostname, isLearner, peerUrls: [], clientUrls: [] },
});
const three = [member("cp-1", "a"), member("cp-2", "b"), member("cp-3", "c")];
const status = {
  memberId: "a",
  leaderId: "0000000000000001",
  isLearner: false,
  version: "3.6.0",
  dbSizeBytes: 0n,
  raftIndex: 100n,
  appliedIndex: 100n,
  raftTerm: 2n,
  errors: [],
};
const voice = (node: string, members = three, more: Partial<typeof status> = {}) => ({
  ...{ node, members, status: { ...status, ...more } },
});

test("troubleAmong() finds none where all three agree", () => {
  expect(troubleAmong(["cp-1", "cp-2", "cp-3"].map((node) => voice(node)))).toBeUndefined();
});

test("troubleAmong() lets the only member go", () => {
  expect(troubleAmong([voice("cp-1", [member("cp-1", "a")])])).toBeUndefined();
});

test.each([
  [
    "members that know different ones",
    [voice("cp-1"), voice("cp-2", three.slice(0, 2)), voice("cp-3")],
    "cp-2 and cp-1 know different members of etcd",
  ],
  [
    "a member that has not started",
    [voice("cp-1", [member("", "d"), ...three.slice(1)])],
    "the member d of etcd has not started",
  ],
  [
    "a learner",
    [voice("cp-1", [member("cp-1", "a", true), ...three.slice(1)])],
    "cp-1 does not vote in etcd yet",
  ],
  ["no leader", [voice("cp-1", three, { leaderId: "0000000000000000" })], "etcd on cp-1 has no leader"],
  [
    "a member that lags behind",
    [voice("cp-1", three, { raftIndex: 9_000n })],
    "etcd on cp-1 has not caught up",
  ],
  [
    "a member that is dead already",
    [voice("cp-1"), voice("cp-2")],
    "of 3 members of etcd 2 answer, and 2 must be left",
  ],
])("troubleAmong() tells of %s", (_what, voices, trouble) => {
  expect(troubleAmong(voices)).toBe(trouble);
});
