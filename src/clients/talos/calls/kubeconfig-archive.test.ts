import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readKubeconfigArchive } from "./machine.ts";

const header = (sizeBytes: number): Buffer => {
  const block = Buffer.alloc(512);
  block.write("kubeconfig", 0);
  block.write(`${sizeBytes.toString(8).padStart(11, "0")}\0`, 124);
  return block;
};

test("readKubeconfigArchive() reads the file although neither padding nor end blocks follow it", () => {
  const archive = gzipSync(Buffer.concat([header(12), Buffer.from("kind: Config")]));
  expect(readKubeconfigArchive(archive)).toBe("kind: Config");
});

test("readKubeconfigArchive() reads an archive whose compressed stream was never closed", () => {
  const archive = gzipSync(Buffer.concat([header(12), Buffer.from("kind: Config")]));
  expect(readKubeconfigArchive(archive.subarray(0, -8))).toBe("kind: Config");
});

test("readKubeconfigArchive() finds nothing in an archive that ends inside the file", () => {
  expect(readKubeconfigArchive(gzipSync(header(12)))).toBeUndefined();
});

test("readKubeconfigArchive() does not unpack what becomes a thousand times larger [attack 8]", () => {
  const bomb = gzipSync(Buffer.concat([header(64 * 1024 ** 2), Buffer.alloc(64 * 1024 ** 2)]));
  expect(readKubeconfigArchive(bomb)).toBeUndefined();
  expect(readKubeconfigArchive(Buffer.from("no archive"))).toBeUndefined();
});
