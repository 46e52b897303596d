import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { lentPieces } from "./lent-pieces.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-lent-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (bytes: number): { file: string; content: Buffer } => {
  const file = path.join(folder, `${bytes}.raw`);
  const content = Buffer.alloc(bytes, Buffer.from(Uint32Array.from({ length: 5_003 }, (_, at) => at).buffer));
  writeFileSync(file, content);
  return { file, content };
};
const digest = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

test.each([0, 1, 2 ** 20, 30 * 2 ** 20 + 5])(
  "the pieces of a file of %d bytes are the file",
  async (bytes) => {
    const { file, content } = fileOf(bytes);
    const copies: Buffer[] = [];
    for await (const piece of lentPieces(file)) copies.push(Buffer.from(piece));
    expect(digest(Buffer.concat(copies))).toBe(digest(content));
  },
);

test("a piece is good until eight more MiB were asked for", async () => {
  const { file, content } = fileOf(30 * 2 ** 20 + 5);
  const held: Buffer[] = [];
  let first = 0;
  for await (const piece of lentPieces(file)) {
    held.push(piece);
    if (held.length <= 9) continue;
    const oldest = held.shift() as Buffer;
    expect(digest(oldest)).toBe(digest(content.subarray(first, first + oldest.length)));
    first += oldest.length;
  }
});
