/** A file in the root of an ISO. */
export interface IsoFile {
  name: string;
  content: Buffer;
}

const sector = 2048;

/** Where the fixed parts lie, in sectors; the system area before them stays empty. */
const place = {
  primary: 16,
  joliet: 17,
  terminator: 18,
  littlePaths: 19,
  bigPaths: 20,
  jolietLittlePaths: 21,
  jolietBigPaths: 22,
  root: 23,
  jolietRoot: 24,
  continuation: 25,
  files: 26,
} as const;

/**
 * An ISO 9660 image with a few files in its root, their names kept by Rock Ridge (what Linux reads) and Joliet. The
 * same files always give the same bytes, so an image can be told by its digest.
 */
export function writeIso(label: string, files: readonly IsoFile[]): Buffer {
  const placed = placeFiles(files);
  const sectors = placed.reduce(
    (end, file) => Math.max(end, file.at + sectorsOf(file.content)),
    place.files as number,
  );
  const image = Buffer.alloc(sectors * sector);
  const put = (at: number, bytes: Buffer): void => void bytes.copy(image, at * sector);

  put(place.primary, descriptor({ label, sectors, isJoliet: false }));
  put(place.joliet, descriptor({ label, sectors, isJoliet: true }));
  put(place.terminator, Buffer.from([255, ...Buffer.from("CD001"), 1]));
  put(place.littlePaths, pathTable(place.root, "little"));
  put(place.bigPaths, pathTable(place.root, "big"));
  put(place.jolietLittlePaths, pathTable(place.jolietRoot, "little"));
  put(place.jolietBigPaths, pathTable(place.jolietRoot, "big"));
  put(place.root, rockRidgeRoot(placed));
  put(place.jolietRoot, jolietRoot(placed));
  put(place.continuation, extensionRecord());
  for (const file of placed) put(file.at, file.content);
  return image;
}

interface PlacedFile extends IsoFile {
  at: number;
  /** Eight characters at most, each once. */
  shortName: string;
}

const sectorsOf = (content: Buffer): number => Math.ceil(content.length / sector);

function placeFiles(files: readonly IsoFile[]): PlacedFile[] {
  let next: number = place.files;
  return files.map((file, index) => {
    const at = next;
    next += sectorsOf(file.content);
    const letters = file.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
    return { ...file, at, shortName: `${letters.slice(0, 7)}${index}.;1` };
  });
}

// Readers take both forms; writing both spares them from choosing.
function both32(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(value, 0);
  bytes.writeUInt32BE(value, 4);
  return bytes;
}

function both16(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(value, 0);
  bytes.writeUInt16BE(value, 2);
  return bytes;
}

/** Joliet writes names in big-endian UCS-2. */
const ucs2 = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

const padded = (text: Buffer, length: number, filler: Buffer): Buffer =>
  Buffer.concat([text, ...Array.from({ length: Math.ceil(length / filler.length) }, () => filler)]).subarray(
    0,
    length,
  );

// 1 January 2000, so that nothing depends on when it was written: years since 1900, month, day, time, zone.
const recordDate = Buffer.from([100, 1, 1, 0, 0, 0, 0]);
const descriptorDate = Buffer.concat([Buffer.from("2000010100000000"), Buffer.from([0])]);
const noDate = Buffer.concat([Buffer.from("0".repeat(16)), Buffer.from([0])]);

function descriptor(of: { label: string; sectors: number; isJoliet: boolean }): Buffer {
  const bytes = Buffer.alloc(sector);
  const blank = of.isJoliet ? ucs2(" ") : Buffer.from(" ");
  const label = of.isJoliet ? ucs2(of.label) : Buffer.from(of.label, "latin1");
  const [little, big] = of.isJoliet
    ? [place.jolietLittlePaths, place.jolietBigPaths]
    : [place.littlePaths, place.bigPaths];
  bytes[0] = of.isJoliet ? 2 : 1;
  bytes.write("CD001", 1, "latin1");
  bytes[6] = 1;
  padded(Buffer.alloc(0), 32, blank).copy(bytes, 8);
  padded(label, 32, blank).copy(bytes, 40);
  both32(of.sectors).copy(bytes, 80);
  if (of.isJoliet) bytes.write("%/E", 88, "latin1");
  both16(1).copy(bytes, 120);
  both16(1).copy(bytes, 124);
  both16(sector).copy(bytes, 128);
  both32(pathTable(0, "little").length).copy(bytes, 132);
  bytes.writeUInt32LE(little, 140);
  bytes.writeUInt32BE(big, 148);
  record({
    name: Buffer.from([0]),
    at: of.isJoliet ? place.jolietRoot : place.root,
    size: sector,
    isFolder: true,
  }).copy(bytes, 156);
  padded(Buffer.alloc(0), 813 - 190, blank).copy(bytes, 190);
  Buffer.concat([descriptorDate, descriptorDate, noDate, noDate]).copy(bytes, 813);
  bytes[881] = 1;
  return bytes;
}

function pathTable(root: number, order: "little" | "big"): Buffer {
  const bytes = Buffer.alloc(10);
  bytes[0] = 1;
  if (order === "little") {
    bytes.writeUInt32LE(root, 2);
    bytes.writeUInt16LE(1, 6);
  } else {
    bytes.writeUInt32BE(root, 2);
    bytes.writeUInt16BE(1, 6);
  }
  return bytes;
}

interface RecordOf {
  name: Buffer;
  at: number;
  size: number;
  isFolder?: boolean;
  systemUse?: Buffer;
}

function record({ name, at, size, isFolder = false, systemUse = Buffer.alloc(0) }: RecordOf): Buffer {
  const head = Buffer.concat([
    both32(at),
    both32(size),
    recordDate,
    Buffer.from([isFolder ? 2 : 0, 0, 0]),
    both16(1),
    Buffer.from([name.length]),
    name,
    Buffer.alloc(name.length % 2 === 0 ? 1 : 0),
    systemUse,
  ]);
  const length = 2 + head.length + (head.length % 2);
  return padded(Buffer.concat([Buffer.from([length, 0]), head]), length, Buffer.alloc(1));
}

const dot = Buffer.from([0]);
const dotDot = Buffer.from([1]);

function rockRidgeRoot(files: PlacedFile[]): Buffer {
  const folder = { at: place.root, size: sector, isFolder: true };
  return Buffer.concat([
    // "SP" says that Rock Ridge is spoken here, "CE" where its name stands; without both Linux ignores it.
    record({
      ...folder,
      name: dot,
      systemUse: Buffer.concat([
        entry("SP", Buffer.from([0xbe, 0xef, 0])),
        attributes(0o40755, 2, 1),
        continuationAt(),
      ]),
    }),
    record({ ...folder, name: dotDot, systemUse: attributes(0o40755, 2, 1) }),
    ...files
      .toSorted((a, b) => (a.shortName < b.shortName ? -1 : 1))
      .map((file) =>
        record({
          name: Buffer.from(file.shortName, "latin1"),
          at: file.at,
          size: file.content.length,
          systemUse: Buffer.concat([
            attributes(0o100444, 1, file.at),
            entry("NM", Buffer.concat([Buffer.from([0]), Buffer.from(file.name)])),
          ]),
        }),
      ),
  ]);
}

function jolietRoot(files: PlacedFile[]): Buffer {
  const folder = { at: place.jolietRoot, size: sector, isFolder: true };
  return Buffer.concat([
    record({ ...folder, name: dot }),
    record({ ...folder, name: dotDot }),
    ...files
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((file) => record({ name: ucs2(file.name), at: file.at, size: file.content.length })),
  ]);
}

/** A field of Rock Ridge: its two letters, length, version, content. */
const entry = (letters: string, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(letters, "latin1"), Buffer.from([4 + content.length, 1]), content]);

/** Mode, links, owner, group and number of a file, and its dates. */
const attributes = (mode: number, links: number, inode: number): Buffer =>
  Buffer.concat([
    entry("PX", Buffer.concat([both32(mode), both32(links), both32(0), both32(0), both32(inode)])),
    entry("TF", Buffer.concat([Buffer.from([0x0e]), recordDate, recordDate, recordDate])),
  ]);

const continuationAt = (): Buffer =>
  entry("CE", Buffer.concat([both32(place.continuation), both32(0), both32(extensionRecord().length)]));

function extensionRecord(): Buffer {
  const id = Buffer.from("RRIP_1991A");
  // A description and a source may follow the name; nobody reads them.
  return entry("ER", Buffer.concat([Buffer.from([id.length, 0, 0, 1]), id]));
}
