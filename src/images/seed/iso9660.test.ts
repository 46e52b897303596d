import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { writeIso } from "./iso9660.ts";
import { hasProgram, peers } from "../../../test/support/peers.ts";

const files = [
  { name: "meta-data", content: Buffer.from("instance-id: lab-cp-1\n") },
  { name: "user-data", content: Buffer.from(`#cloud-config\n${"# ü\n".repeat(2_000)}`) },
  { name: "network-config", content: Buffer.from("version: 2\n") },
  { name: "vendor-data", content: Buffer.alloc(0) },
];
const image = writeIso("cidata", files);

/** The records of a folder: name and content, as a reader would find them. */
function readFolder(at: number, nameOf: (record: Buffer) => string): Map<string, string> {
  const found = new Map<string, string>();
  for (let from = at * 2048; image[from] !== 0; from += image[from] ?? 0) {
    const record = image.subarray(from, from + (image[from] ?? 0));
    if ((record[25] ?? 0) & 2) continue;
    const extent = record.readUInt32LE(2) * 2048;
    found.set(nameOf(record), image.subarray(extent, extent + record.readUInt32LE(10)).toString());
  }
  return found;
}

const written = new Map(files.map(({ name, content }) => [name, content.toString()]));

test("writeIso() gives every file its name and content, by Rock Ridge and by Joliet", () => {
  const rockRidge = readFolder(image.readUInt32LE(16 * 2048 + 158), (record) => {
    const at = record.indexOf("NM", 33 + (record[32] ?? 0), "latin1");
    return record.subarray(at + 5, at + (record[at + 2] ?? 0)).toString();
  });
  const joliet = readFolder(image.readUInt32LE(17 * 2048 + 158), (record) =>
    Buffer.from(record.subarray(33, 33 + (record[32] ?? 0)))
      .swap16()
      .toString("utf16le"),
  );
  expect(rockRidge).toEqual(written);
  expect(joliet).toEqual(written);
});

test("writeIso() is as large as it says, carries its label, and never differs", () => {
  expect(image.length).toBe(image.readUInt32LE(16 * 2048 + 80) * 2048);
  expect(image.toString("latin1", 16 * 2048 + 40, 16 * 2048 + 72).trimEnd()).toBe("cidata");
  expect(writeIso("cidata", files).equals(image)).toBe(true);
});

const hasReader = hasProgram("isoinfo", "-version");

describe.skipIf(!hasReader)("isoinfo (needs it: apt-get install genisoimage)", peers, () => {
  test("reads the label, the names and the files", () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-iso-"));
    const file = path.join(folder, "seed.iso");
    writeFileSync(file, image);
    const isoinfo = (...args: string[]) =>
      execFileSync("isoinfo", [...args, "-i", file], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    expect(isoinfo("-d")).toMatch(/Volume id: cidata\n[^]*Joliet with UCS level 3[^]*Rock Ridge signatures/);
    for (const [name, content] of written) {
      expect(isoinfo("-R", "-x", `/${name}`)).toBe(content);
      expect(isoinfo("-J", "-x", `/${name}`)).toBe(content);
    }
    rmSync(folder, { recursive: true });
  });
});
