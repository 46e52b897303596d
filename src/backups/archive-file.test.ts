import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bytesSource, someFacts, someKeys, someSnapshot } from "../../test/support/backups/some-backup.ts";
import { readBody, realRandom } from "../lib/index.ts";
import { ArchiveFile, openBackup, packBackup, partOf } from "./index.ts";

const { keys, recipients } = await someKeys();

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const broken = (why: string): Error => new Error(why);

const pack = (file: ArchiveFile, database: Buffer | undefined, frontBytes = 0) =>
  packBackup(
    {
      facts: database ? someFacts : { ...someFacts, snapshot: undefined },
      parts: [
        partOf("file/cluster.yaml", "name: lab\n"),
        partOf("file/large.yaml", Buffer.alloc(frontBytes)),
      ],
      database: database && {
        name: "etcd/snapshot.db",
        content: bytesSource(database).read(),
        broken,
      },
    },
    { recipients },
    realRandom,
    file,
  );

test("a draft gets its name once, and is read as often as need be", async () => {
  const [folder, elsewhere] = [newFolder(), newFolder()];
  const to = path.join(folder, "lab.tar");
  await using file = await ArchiveFile.draftOf(to);
  await pack(file, someSnapshot(600));
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^lab\.tar\.[0-9a-f]{12}\.draft$/)]);
  expect(await file.keepAs(path.join(elsewhere, "lab.tar"))).toBe(false);
  expect(await file.keepAs(to)).toBe(true);
  expect(readdirSync(folder)).toEqual(["lab.tar"]);
  for (const _ of [1, 2])
    expect((await readBody(file.bytes(), Infinity)).equals(readFileSync(to))).toBe(true);
});

test("one that goes elsewhere has no name while it waits, and a broken one leaves nothing behind", async () => {
  const folder = newFolder();
  await using file = await ArchiveFile.nameless(folder);
  expect(readdirSync(folder)).toEqual([]);
  {
    await using draft = await ArchiveFile.draftOf(path.join(folder, "lab.tar"));
    const cut = someSnapshot(600).subarray(0, -100);
    await expect(pack(draft, cut)).rejects.toThrow("cut short");
  }
  expect(readdirSync(folder)).toEqual([]);
  await pack(file, undefined);
  expect(file.sizeBytes % 512).toBe(0);
});

// The front ends within a piece of age, at its end, and one byte of it is shared or missing; the database ends within it or far behind.
test.each([0, 62_464, 62_976, 63_488, 200_000])(
  "whatever length stands in front of the database, all of it comes back: %i bytes",
  async (length) => {
    for (const pages of [undefined, 1, 126, 127, 128, 600]) {
      const database = pages === undefined ? undefined : someSnapshot(pages);
      await using file = await ArchiveFile.nameless(os.tmpdir());
      await pack(file, database, length);
      const bytes = await readBody(file.bytes(), Infinity);
      const opened = await openBackup(bytesSource(bytes), keys);
      expect(opened.contents.members.length).toBe(database ? 3 : 2);
      if (!database) continue;
      const read = await readBody(opened.member("etcd/snapshot.db").read(), Infinity);
      expect(read.equals(database)).toBe(true);
    }
  },
);
