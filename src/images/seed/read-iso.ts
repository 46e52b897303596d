const sector = 2048;
const firstDescriptor = 16;
const mostDescriptors = 16;
const kinds = { primary: 1, joliet: 2, end: 255 } as const;

/** The label of an ISO 9660 image and the files in its root. */
export interface ReadIso {
  label: string;
  files: Record<string, Buffer>;
}

/** Names are read by Joliet where the image has it, else by Rock Ridge. Undefined: it is no such image. */
export function readIso(image: Buffer): ReadIso | undefined {
  const descriptors = descriptorsOf(image);
  const primary = descriptors.find((each) => each[0] === kinds.primary);
  if (!primary) return undefined;
  const joliet = descriptors.find((each) => each[0] === kinds.joliet);
  const rootAt = (joliet ?? primary).readUInt32LE(158) * sector;
  return {
    label: primary.toString("latin1", 40, 72).trimEnd(),
    files: Object.fromEntries(
      recordsAt(image, rootAt).map((each) => fileOf(image, each, joliet !== undefined)),
    ),
  };
}

/** The files of a seed, by name; undefined when nothing on the disc says that it is one. */
export function seedFilesOn(disc: Buffer): Record<string, string> | undefined {
  const found = readIso(disc);
  if (found?.label.toLowerCase() !== "cidata") return undefined;
  return Object.fromEntries(
    Object.entries(found.files).map(([name, content]) => [name, content.toString("utf8")]),
  );
}

function descriptorsOf(image: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = firstDescriptor; at < firstDescriptor + mostDescriptors; at += 1) {
    const each = image.subarray(at * sector, (at + 1) * sector);
    if (each.length < sector || each.toString("latin1", 1, 6) !== "CD001" || each[0] === kinds.end) break;
    found.push(each);
  }
  return found;
}

/** Of files only: folders have a mark. */
function recordsAt(image: Buffer, at: number): Buffer[] {
  const found: Buffer[] = [];
  for (let from = at; (image[from] ?? 0) > 0; from += image[from] ?? 0) {
    const record = image.subarray(from, from + (image[from] ?? 0));
    if (((record[25] ?? 0) & 2) === 0) found.push(record);
  }
  return found;
}

function fileOf(image: Buffer, record: Buffer, isJoliet: boolean): [name: string, content: Buffer] {
  const at = record.readUInt32LE(2) * sector;
  const name = isJoliet ? jolietName(record) : rockRidgeName(record);
  return [name, image.subarray(at, at + record.readUInt32LE(10))];
}

const plainName = (record: Buffer): Buffer => record.subarray(33, 33 + (record[32] ?? 0));

const jolietName = (record: Buffer): string => Buffer.from(plainName(record)).swap16().toString("utf16le");

function rockRidgeName(record: Buffer): string {
  const at = record.indexOf("NM", 33 + (record[32] ?? 0), "latin1");
  return at < 0
    ? plainName(record)
        .toString("latin1")
        .replace(/\.?;1$/, "")
    : record.subarray(at + 5, at + (record[at + 2] ?? 0)).toString("utf8");
}
