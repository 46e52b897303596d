import { expect, test } from "vitest";
import { streamTar, tarHeader, writeTar } from "./index.ts";
import { readTarHeader } from "./tar.ts";

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const archive = writeTar([
  { name: "a", bytes: Buffer.from("first") },
  { name: "folder/b", bytes: Buffer.alloc(1300, "b") },
  { name: "c", bytes: Buffer.alloc(0) },
]);

async function filesIn(bytes: Buffer, size = 100, most = Infinity): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { name, bytes: content } of streamTar(pieces(bytes, size))) {
    let text = "";
    for await (const part of content) {
      text += Buffer.from(part).toString();
      if (text.length >= most) break;
    }
    found.push([name, text]);
  }
  return found;
}

test.each([1, 512, 700, 100_000])("files come out as they went in, in pieces of %i bytes", async (size) => {
  expect(await filesIn(archive, size)).toEqual([
    ["a", "first"],
    ["folder/b", "b".repeat(1300)],
    ["c", ""],
  ]);
});

test("what is not read of a file is passed over", async () => {
  expect((await filesIn(archive, 100, 1)).map(([name]) => name)).toEqual(["a", "folder/b", "c"]);
});

test.each([
  ["cut in a file", archive.subarray(0, 1600), "cut short"],
  ["without its end", archive.subarray(0, archive.length - 512), "cut short"],
  ["with a header that was changed", Buffer.from(archive).fill("z", 0, 1), "checksum"],
  ["with something behind its end", Buffer.concat([archive, Buffer.from("x")]), "behind its end"],
  ["with a link", linkIn(), "not a plain file"],
])("an archive %s is refused", async (_what, bytes, why) => {
  await expect(filesIn(bytes)).rejects.toThrow(why);
});

test("files of 8 GiB and more have a size that tar understands", () => {
  const sizeBytes = 9 * 1024 ** 3 + 1;
  expect(readTarHeader(tarHeader("large", sizeBytes, 0o600))).toMatchObject({ name: "large", sizeBytes });
});

function linkIn(): Buffer {
  const head = tarHeader("link", 0, 0o777);
  head[156] = "2".charCodeAt(0);
  head.write("        ", 148);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([head, Buffer.alloc(1024)]);
}
