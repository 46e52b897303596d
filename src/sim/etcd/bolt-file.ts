/** Buckets of a bbolt database by name, each with its entries. The file etcd keeps, and what its snapshots are. */
export type BoltBuckets = Map<string, [key: Buffer, value: Buffer][]>;

const pageBytes = 4096;
const pageHeaderBytes = 16;
const elementBytes = 16;
const leafFlag = 0x02;
const metaFlag = 0x04;
const freelistFlag = 0x10;
const bucketFlag = 1;
const magic = 0xed0cdaed;
const fileVersion = 2;
const firstFreePage = 4;

/**
 * A whole database: two meta pages, an empty list of free pages, the page that names the buckets, and one leaf for each
 * bucket, as long as it needs to be. Real files have trees of pages; readers take both.
 */
export function writeBoltFile(buckets: BoltBuckets): Buffer {
  let nextPage = firstFreePage;
  const leaves: Buffer[] = [];
  const names: LeafEntry[] = [];
  for (const [name, entries] of [...buckets].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = entries.toSorted(([a], [b]) => Buffer.compare(a, b));
    const leaf = leafPage(
      nextPage,
      sorted.map(([key, value]) => ({ flags: 0, key, value })),
    );
    const root = Buffer.alloc(16);
    root.writeBigUInt64LE(BigInt(nextPage));
    names.push({ flags: bucketFlag, key: Buffer.from(name), value: root });
    leaves.push(leaf);
    nextPage += leaf.length / pageBytes;
  }
  const directory = leafPage(3, names);
  if (directory.length !== pageBytes) throw new Error("too many buckets for one page");
  return Buffer.concat([
    metaPage(0, nextPage),
    metaPage(1, nextPage),
    page(2, freelistFlag, 0, Buffer.alloc(0)),
    directory,
    ...leaves,
  ]);
}

/** Reads what `writeBoltFile` wrote; undefined for anything else. */
export function readBoltFile(file: Buffer): BoltBuckets | undefined {
  if (file.length < firstFreePage * pageBytes || file.readUInt32LE(pageHeaderBytes) !== magic)
    return undefined;
  const rootPage = Number(file.readBigUInt64LE(pageHeaderBytes + 16));
  return new Map(
    readLeaf(file, rootPage).map(([name, root]) => [
      name.toString("utf8"),
      readLeaf(file, Number(root.readBigUInt64LE())),
    ]),
  );
}

interface LeafEntry {
  flags: number;
  key: Buffer;
  value: Buffer;
}

function leafPage(id: number, entries: LeafEntry[]): Buffer {
  const elements = Buffer.alloc(entries.length * elementBytes);
  const contents: Buffer[] = [];
  let offset = elements.length;
  for (const [index, { flags, key, value }] of entries.entries()) {
    const at = index * elementBytes;
    elements.writeUInt32LE(flags, at);
    // Counted from the element itself.
    elements.writeUInt32LE(offset - at, at + 4);
    elements.writeUInt32LE(key.length, at + 8);
    elements.writeUInt32LE(value.length, at + 12);
    contents.push(key, value);
    offset += key.length + value.length;
  }
  return page(id, leafFlag, entries.length, Buffer.concat([elements, ...contents]));
}

function page(id: number, flags: number, count: number, content: Buffer): Buffer {
  const pages = Math.max(1, Math.ceil((pageHeaderBytes + content.length) / pageBytes));
  const bytes = Buffer.alloc(pages * pageBytes);
  bytes.writeBigUInt64LE(BigInt(id), 0);
  bytes.writeUInt16LE(flags, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(pages - 1, 12);
  content.copy(bytes, pageHeaderBytes);
  return bytes;
}

function metaPage(id: number, pages: number): Buffer {
  const meta = Buffer.alloc(64);
  meta.writeUInt32LE(magic, 0);
  meta.writeUInt32LE(fileVersion, 4);
  meta.writeUInt32LE(pageBytes, 8);
  // The page of the bucket names, then the page of the free list.
  meta.writeBigUInt64LE(3n, 16);
  meta.writeBigUInt64LE(2n, 32);
  meta.writeBigUInt64LE(BigInt(pages), 40);
  meta.writeBigUInt64LE(BigInt(id), 48);
  meta.writeBigUInt64LE(fnv1a(meta.subarray(0, 56)), 56);
  return page(id, metaFlag, 0, meta);
}

function readLeaf(file: Buffer, id: number): [Buffer, Buffer][] {
  const start = id * pageBytes;
  const count = file.readUInt16LE(start + 10);
  return Array.from({ length: count }, (_, index) => {
    const at = start + pageHeaderBytes + index * elementBytes;
    const keyAt = at + file.readUInt32LE(at + 4);
    const valueAt = keyAt + file.readUInt32LE(at + 8);
    return [file.subarray(keyAt, valueAt), file.subarray(valueAt, valueAt + file.readUInt32LE(at + 12))];
  });
}

/** 64 bits of FNV-1a. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
