import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demandUnpacker, fileDigest, findImageFile, measureImage } from "./index.ts";
import { hasProgram, peers } from "../../test/support/peers.ts";

const content = Buffer.from("a disk ".repeat(100_000));
const sha256 = createHash("sha256").update(content).digest("hex");
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-image-"));
  await writeFile(path.join(folder, "talos.raw"), content);
  await writeFile(path.join(folder, "talos.raw.gz"), gzipSync(content));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(["talos.raw", "talos.raw.gz"])("%s is measured by what is in it", async (name) => {
  expect(await measureImage(path.join(folder, name))).toEqual({ bytes: content.length, sha256 });
});

// Packages xz-utils and zstd have the two programs.
test.skipIf(!hasProgram("xz", "--version") || !hasProgram("zstd", "--version"))(
  "xz and zst are unpacked by their programs",
  peers,
  async () => {
    const plain = path.join(folder, "talos.raw");
    execFileSync("xz", ["-kf0", plain]);
    execFileSync("zstd", ["-qkf", plain]);
    for (const name of ["talos.raw.xz", "talos.raw.zst"]) {
      const file = path.join(folder, name);
      await demandUnpacker(file);
      expect(await measureImage(file)).toEqual({ bytes: content.length, sha256 });
    }
  },
);

test.each(["cut.raw.gz", "cut.raw.xz"])("%s, which is not what its name says, is refused", async (name) => {
  const file = path.join(folder, name);
  await writeFile(file, "no archive");
  await expect(measureImage(file)).rejects.toMatchObject({
    code: expect.stringMatching(/^IMAGE_(NOT_UNPACKED|UNPACKER_MISSING)$/) as string,
  });
});

test("a program that is not there is named with its package", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = folder;
  try {
    const missing = { code: "IMAGE_UNPACKER_MISSING", next: expect.stringContaining('"xz-utils"') as string };
    await expect(demandUnpacker("/x/talos.raw.xz")).rejects.toMatchObject(missing);
    await expect(measureImage("/x/talos.raw.xz")).rejects.toMatchObject(missing);
    await demandUnpacker("/x/talos.raw.gz");
  } finally {
    process.env["PATH"] = before;
  }
});

test("fileDigest() is about the file as it lies there", async () => {
  expect(await fileDigest(path.join(folder, "talos.raw"), "sha256")).toBe(sha256);
  expect(await fileDigest(path.join(folder, "talos.raw.gz"), "sha256")).not.toBe(sha256);
});

test("the first name a folder has is taken; none is an error that says how to fetch it", async () => {
  const inner = path.join(folder, "id/v1");
  await mkdir(inner, { recursive: true });
  await writeFile(path.join(inner, "b.qcow2.gz"), "");
  const local = { folder, names: ["id/v1/b.qcow2", "id/v1/b.qcow2.gz"] };
  expect(await findImageFile(local, "https://f/x")).toBe(path.join(inner, "b.qcow2.gz"));
  await expect(findImageFile({ folder, names: ["nothing.qcow2"] }, "https://f/x")).rejects.toMatchObject({
    code: "IMAGE_NOT_IN_FOLDER",
    next: expect.stringContaining('curl -fLo "nothing.qcow2" --create-dirs https://f/x') as string,
  });
  await expect(findImageFile({ file: path.join(folder, "none") }, "")).rejects.toMatchObject({
    code: "IMAGE_FILE_MISSING",
  });
});
