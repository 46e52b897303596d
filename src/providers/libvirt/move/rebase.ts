import { notRebased } from "./errors.ts";

const magic = 0x514649fb;
/** Where the header of a qcow2 says it: offset and length of the name of its base, and how large its clusters are. */
const at = { backingOffset: 8, backingLength: 16, clusterBits: 20 } as const;
const headerBytes = 24;
const longestName = 1023;

/**
 * The same disk standing on the same image in another place, as `qemu-img rebase -u` makes it: only the name in the header is
 * another. It has the rest of the first cluster for itself, where nothing else may be.
 */
export async function* rebased(
  content: AsyncIterable<Buffer>,
  volume: string,
  image: string,
): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0);
  for await (const piece of content) {
    if (!first) {
      yield piece;
      continue;
    }
    first = Buffer.concat([first, piece]);
    if (first.length < clusterBytes(first, volume)) continue;
    yield renamed(first, volume, image);
    first = undefined;
  }
  if (first) throw notRebased({ volume, reason: `it ends after ${first.length} bytes` });
}

function clusterBytes(first: Buffer, volume: string): number {
  if (first.length < headerBytes) return headerBytes;
  if (first.readUInt32BE() !== magic) throw notRebased({ volume, reason: "it is no qcow2" });
  return 2 ** first.readUInt32BE(at.clusterBits);
}

function renamed(first: Buffer, volume: string, image: string): Buffer {
  const offset = Number(first.readBigUInt64BE(at.backingOffset));
  const name = Buffer.from(image);
  if (offset === 0) throw notRebased({ volume, reason: "it stands on no image" });
  if (name.length > longestName || offset + name.length > clusterBytes(first, volume))
    throw notRebased({ volume, reason: `there is no room for ${image}` });
  first.fill(0, offset, offset + first.readUInt32BE(at.backingLength));
  name.copy(first, offset);
  first.writeUInt32BE(name.length, at.backingLength);
  return first;
}
