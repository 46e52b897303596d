import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { snapshotTrouble } from "./etcd-snapshot.ts";

const database = Buffer.alloc(4096, 7);
const whole = Buffer.concat([database, createHash("sha256").update(database).digest()]);

test("snapshotTrouble() finds none in a database with its hash behind it", () => {
  expect(snapshotTrouble(whole)).toBeUndefined();
});

test.each([
  ["nothing at all", Buffer.alloc(0), "cut short"],
  ["a stream that was cut anywhere", whole.subarray(0, 3000), "cut short"],
  ["a stream that was cut between two pages", whole.subarray(0, 1024), "cut short"],
  [
    "one that was cut as long as the hash",
    Buffer.concat([whole.subarray(0, 1024), Buffer.alloc(32)]),
    "damaged on its way",
  ],
])("snapshotTrouble() refuses %s", (_what, snapshot, trouble) => {
  expect(snapshotTrouble(snapshot)).toBe(trouble);
});
