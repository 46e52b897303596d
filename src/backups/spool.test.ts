import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { someSnapshot } from "../../test/support/backups/some-backup.ts";
import { readBody } from "../lib/index.ts";
import { spoolPart } from "./index.ts";

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-spool-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
}

test("what was spooled is read as often as need be, while no file has a name", async () => {
  const folder = newFolder();
  const bytes = someSnapshot(6_000);
  await using part = await spoolPart("etcd/snapshot.db", pieces(bytes), folder);
  expect(readdirSync(folder)).toEqual([]);
  expect(part.sizeBytes).toBe(bytes.length);
  for (const _ of [1, 2]) expect((await readBody(part.read(), Infinity)).equals(bytes)).toBe(true);
});

test("a stream that breaks off leaves nothing behind", async () => {
  const folder = newFolder();
  async function* breaking() {
    yield* pieces(someSnapshot(6_000));
    throw new Error("broke off");
  }
  await expect(spoolPart("etcd/snapshot.db", breaking(), folder)).rejects.toThrow("broke off");
  expect(readdirSync(folder)).toEqual([]);
});
