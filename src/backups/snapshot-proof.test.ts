import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { someSnapshot } from "../../test/support/backups/some-backup.ts";
import { provenSnapshot } from "./index.ts";

const whole = someSnapshot(8);
const text = Buffer.alloc(4096, 7);

async function troubleOf(snapshot: Buffer, pieceBytes: number): Promise<string | undefined> {
  async function* pieces() {
    for (let at = 0; at < snapshot.length; at += pieceBytes) yield snapshot.subarray(at, at + pieceBytes);
  }
  try {
    for await (const _ of provenSnapshot(pieces(), (why) => new Error(why)));
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
}

test.each([1, 7, 31, 32, 33, 512, 100_000])(
  "finds nothing wrong with a whole one, in pieces of %i bytes",
  async (size) => {
    expect(await troubleOf(whole, size)).toBeUndefined();
  },
);

test.each([
  ["nothing at all", Buffer.alloc(0), "nothing came"],
  ["a stream that was cut anywhere", whole.subarray(0, 3000), "cut short"],
  ["a stream that was cut between two pages", whole.subarray(0, 1024), "cut short"],
  [
    "one that was cut as long as the hash",
    Buffer.concat([whole.subarray(0, 1024), Buffer.alloc(32)]),
    "damaged on its way",
  ],
  [
    "something else with its hash behind it",
    Buffer.concat([text, createHash("sha256").update(text).digest()]),
    "not a database of etcd",
  ],
])("refuses %s", async (_what, snapshot, trouble) => {
  expect(await troubleOf(snapshot, 700)).toBe(trouble);
});
