import { expect, test } from "vitest";
import { rebased } from "./rebase.ts";

const clusterBytes = 65_536;

/** The first cluster of a qcow2 as QEMU writes it: header, one extension, then the name of its base. */
function disk(backing: string, nameAt = 128): Buffer {
  const file = Buffer.alloc(clusterBytes + 10, 7);
  file.fill(0, 0, clusterBytes);
  file.writeUInt32BE(0x514649fb, 0);
  file.writeUInt32BE(3, 4);
  file.writeBigUInt64BE(BigInt(backing === "" ? 0 : nameAt), 8);
  file.writeUInt32BE(backing.length, 16);
  file.writeUInt32BE(16, 20);
  file.write(backing, nameAt);
  return file;
}

async function* inPieces(file: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += bytes) yield Buffer.from(file.subarray(at, at + bytes));
}

async function copied(file: Buffer, image: string, bytes = 1_000): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of rebased(inPieces(file, bytes), "lab-cp-1.qcow2", image)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test.each([
  ["longer", "/srv/a-longer-way/to/the/machines/talos.raw"],
  ["shorter", "/t.raw"],
])("a disk stands on its image under a %s name, and is otherwise the same", async (_how, image) => {
  for (const bytes of [10, 1_000, 1_000_000])
    expect((await copied(disk("/var/lib/libvirt/slipway/talos.raw"), image, bytes)).equals(disk(image))).toBe(
      true,
    );
});

test.each([
  ["is no qcow2", Buffer.alloc(2 * clusterBytes), "/t.raw", "it is no qcow2"],
  ["stands on nothing", disk(""), "/t.raw", "it stands on no image"],
  ["is cut", disk("/a.raw").subarray(0, 5_000), "/t.raw", "it ends after 5000 bytes"],
  [
    "has no room for the name",
    disk("/a.raw", clusterBytes - 8),
    "/longer.raw",
    "there is no room for /longer.raw",
  ],
])("a disk that %s is refused before it is taken for whole", async (_what, file, image, reason) => {
  await expect(copied(file, image)).rejects.toMatchObject({
    code: "LIBVIRT_DISK_NOT_REBASED",
    why: expect.stringContaining(reason) as string,
  });
});
