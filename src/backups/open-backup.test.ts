import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  bytesSource,
  packAll,
  someFacts,
  someKeys,
  someParts,
  someSnapshot,
} from "../../test/support/backups/some-backup.ts";
import { peers } from "../../test/support/peers.ts";
import { findAge } from "../../test/support/programs/sops.ts";
import { readTar, realRandom, writeTar, type TarFile } from "../lib/index.ts";
import { sealAge } from "../secrets/index.ts";
import { openBackup, partOf, readContents } from "./index.ts";

const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");
const { keys, recipients } = await someKeys();
const good = await packAll(recipients);

/** The archive with its files exchanged for others. */
const repacked = (change: (files: TarFile[]) => TarFile[], from = good): Buffer =>
  writeTar(change([...readTar(from)]));

const editing = (name: string, edit: (bytes: Buffer) => Buffer) =>
  repacked((files) =>
    files.map((file) => (file.name === name ? { ...file, bytes: edit(Buffer.from(file.bytes)) } : file)),
  );

const editContents = (edit: (contents: Record<string, unknown>) => unknown): Buffer =>
  editing("contents.json", (bytes) => Buffer.from(JSON.stringify(edit(JSON.parse(bytes.toString("utf8"))))));

const flipped = (at: (length: number) => number) => (bytes: Buffer) => {
  const place = at(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  return bytes;
};

const flipMac = (bytes: Buffer): Buffer => {
  const at = bytes.indexOf("\n--- ") + 5;
  bytes[at] = bytes[at] === 65 ? 66 : 65;
  return bytes;
};

async function sealed(content: Buffer): Promise<Buffer> {
  const { head, piece } = await sealAge({ recipients }, realRandom);
  return Buffer.concat([head, ...piece(content, 0, true)]);
}

test("an archive gives back what went into it, and shows its contents to everybody", async () => {
  const parts = someParts();
  const archive = await packAll(recipients, parts);
  const source = bytesSource(archive);
  const contents = await readContents(source);
  expect(contents).toMatchObject({ format: "slipway/backup", version: 1, ...someFacts });
  let read = 0;
  const opened = await openBackup(source, keys, (bytes) => (read += bytes));
  expect(read).toBe(archive.length);
  expect(opened.contents).toEqual(contents);
  for (const part of parts) {
    const pieces: Uint8Array[] = [];
    for await (const piece of opened.member(part.name).read()) pieces.push(piece);
    expect(hashOf(Buffer.concat(pieces))).toBe(part.sha256);
  }
  expect(await opened.member("file/cluster.yaml").text()).toBe("name: lab\n");
  expect(archive.includes("certs")).toBe(false);
});

test("the small members stand first, so that they are read without the snapshot", async () => {
  const { members } = await readContents(bytesSource(good));
  expect(members.at(-1)?.name).toBe("etcd/snapshot.db");
});

test("a member that was exchanged after the check is not given out as whole", async () => {
  let bytes = good;
  const opened = await openBackup({ name: "b", read: () => bytesSource(bytes).read() }, keys);
  bytes = await packAll(recipients);
  const reading = async () => {
    for await (const _ of opened.member("etcd/snapshot.db").read());
  };
  await expect(reading()).rejects.toMatchObject({ code: "BACKUP_TAMPERED" });
});

const cutPayload = (bytes: Buffer) => bytes.subarray(0, -100);
const kinds: [kind: string, make: () => Buffer | Promise<Buffer>, code: string, why: RegExp][] = [
  ["an empty file", () => Buffer.alloc(0), "BACKUP_CUT_SHORT", /cut short/],
  ["something else entirely", () => Buffer.from("x".repeat(4096)), "BACKUP_NOT_ONE", /checksum/],
  [
    "a tar of others",
    () => writeTar([{ name: "etc/passwd", bytes: Buffer.from("root") }]),
    "BACKUP_NOT_ONE",
    /begin with contents/,
  ],
  ["a cut at its end", () => good.subarray(0, good.length - 600), "BACKUP_CUT_SHORT", /cut short/],
  ["a cut in its middle", () => good.subarray(0, 90_000), "BACKUP_CUT_SHORT", /cut short/],
  [
    "contents without a payload",
    () => repacked((files) => files.slice(0, 1)),
    "BACKUP_CUT_SHORT",
    /payload.tar.age is missing/,
  ],
  [
    "a payload that was shortened and its size corrected",
    () => editing("payload.tar.age", cutPayload),
    "BACKUP_TAMPERED",
    /end was changed/,
  ],
  [
    "a flipped bit in the payload",
    () =>
      editing(
        "payload.tar.age",
        flipped((length) => length >> 1),
      ),
    "BACKUP_TAMPERED",
    /it was changed/,
  ],
  [
    "a flipped bit in the header of age",
    () => editing("payload.tar.age", flipMac),
    "BACKUP_TAMPERED",
    /header|changed/,
  ],
  [
    "a payload that is not encrypted",
    () => editing("payload.tar.age", () => Buffer.alloc(4096, "\n")),
    "BACKUP_CUT_SHORT",
    /cut short/,
  ],
  [
    "another time in its contents",
    () => editContents((c) => ({ ...c, madeAt: "2027-01-01T00:00:00.000Z" })),
    "BACKUP_TAMPERED",
    /not the one it was made with/,
  ],
  [
    "another cluster in its contents",
    () => editContents((c) => ({ ...c, cluster: "prod" })),
    "BACKUP_TAMPERED",
    /not the one it was made with/,
  ],
  [
    "the payload of another backup",
    async () => {
      const other = [...readTar(await packAll(recipients))][1];
      return repacked(([contents]) => [contents, other].filter((file) => file !== undefined));
    },
    "BACKUP_TAMPERED",
    /not the one it was made with/,
  ],
  [
    "a file added to it",
    () => repacked((files) => [...files, { name: "more", bytes: Buffer.from("x") }]),
    "BACKUP_TAMPERED",
    /"more" does not belong/,
  ],
  [
    "bytes behind its end",
    () => Buffer.concat([good, Buffer.from("tail")]),
    "BACKUP_NOT_ONE",
    /behind its end/,
  ],
  ["an older format", () => editContents((c) => ({ ...c, version: 0 })), "BACKUP_TOO_OLD_FORMAT", /format 0/],
  ["a newer format", () => editContents((c) => ({ ...c, version: 2 })), "BACKUP_TOO_NEW", /format 2/],
  [
    "contents without members",
    () => editContents((c) => ({ ...c, members: undefined })),
    "BACKUP_NOT_ONE",
    /"members"/,
  ],
  [
    "a member that would leave its folder",
    () => editContents((c) => ({ ...c, members: [{ name: "../x", sizeBytes: 1, sha256: hashOf("x") }] })),
    "BACKUP_NOT_ONE",
    /members.0.name/,
  ],
  [
    "contents that are no JSON",
    () => editing("contents.json", () => Buffer.from("{")),
    "BACKUP_NOT_ONE",
    /not of slipway/,
  ],
  [
    "another's recipients",
    async () => packAll((await someKeys()).recipients),
    "BACKUP_LOCKED",
    /no key at hand fits/,
  ],
  [
    "a snapshot that was cut when it was made",
    () => packAll(recipients, [partOf("etcd/snapshot.db", someSnapshot().subarray(0, 5000))]),
    "BACKUP_SNAPSHOT_UNSOUND",
    /cut short/,
  ],
  [
    "a snapshot that is no database",
    () => {
      const text = Buffer.alloc(1024, "text");
      const bytes = Buffer.concat([text, createHash("sha256").update(text).digest()]);
      return packAll(recipients, [partOf("etcd/snapshot.db", bytes)]);
    },
    "BACKUP_SNAPSHOT_UNSOUND",
    /not a database/,
  ],
  [
    "a member its contents do not name",
    async () => {
      const contents = [...readTar(good)][0] ?? { name: "", bytes: Buffer.alloc(0) };
      const payload = writeTar([
        { name: "contents.sha256", bytes: Buffer.from(`${hashOf(contents.bytes)}  contents.json\n`) },
        { name: "evil", bytes: Buffer.from("x") },
      ]);
      return writeTar([contents, { name: "payload.tar.age", bytes: await sealed(payload) }]);
    },
    "BACKUP_TAMPERED",
    /"evil" is not as/,
  ],
];

test.each(kinds)("refuses %s, with the reason", async (_kind, make, code, why) => {
  const source = bytesSource(await make());
  await expect(openBackup(source, keys)).rejects.toMatchObject({ code, why: expect.stringMatching(why) });
});

test.skipIf(!findAge())("tar, age, jq and sha256sum read an archive without slipway", peers, async () => {
  const home = mkdtempSync(join(tmpdir(), "slipway-backup-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { generateX25519Identity, identityToRecipient } = await import("age-encryption");
  const identity = await generateX25519Identity();
  writeFileSync(join(home, "key"), `${identity}\n`, { mode: 0o600 });
  writeFileSync(join(home, "lab.backup"), await packAll([await identityToRecipient(identity)]));
  const script = `set -eo pipefail
    tar xf lab.backup
    age --decrypt -i key payload.tar.age | tar x
    sha256sum --check --quiet contents.sha256
    jq --raw-output '.members[] | "\\(.sha256)  \\(.name)"' contents.json | sha256sum --check
    jq --raw-output .cluster contents.json`;
  const said = execFileSync("bash", ["-c", script], { cwd: home, encoding: "utf8" });
  expect(said).toBe(
    "secrets/secrets.yaml: OK\nfile/cluster.yaml: OK\nfile/patch.yaml: OK\netcd/snapshot.db: OK\nlab\n",
  );
});
