/** A file of a tar archive. */
export interface TarFile {
  /** With a slash at its end it is a folder. */
  name: string;
  bytes: Buffer;
  /** 0644 when not given. */
  mode?: number;
}

export const tarBlock = 512;

/** An archive whose bytes depend on the files alone: no owner, no time. */
export function writeTar(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap(({ name, bytes, mode = 0o644 }) => [
    tarHeader(name, bytes.length, mode),
    bytes,
    Buffer.alloc(tarPadding(bytes.length)),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * tarBlock)]);
}

/** The plain files of an archive; links, folders and the like are passed over. */
export function* readTar(archive: Buffer): Generator<TarFile> {
  let longName: string | undefined;
  for (let at = 0; at + tarBlock <= archive.length;) {
    const head = archive.subarray(at, at + tarBlock);
    if (isZeroBlock(head)) return;
    const sizeBytes = numberAt(head, 124, 12);
    const bytes = archive.subarray(at + tarBlock, at + tarBlock + sizeBytes);
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "x") longName = paxPath(bytes) ?? longName;
    else if (type === "L") longName = text(bytes, 0, bytes.length);
    else {
      const name = longName ?? nameIn(head);
      longName = undefined;
      if (type === "0" || type === "\0") yield { name, bytes, mode: numberAt(head, 100, 8) };
    }
    at += tarBlock + sizeBytes + tarPadding(sizeBytes);
  }
}

/** The 512 bytes before a file. */
export function tarHeader(name: string, sizeBytes: number, mode: number): Buffer {
  const [prefix, rest] = splitName(name);
  const head = Buffer.alloc(tarBlock);
  head.write(rest, 0);
  head.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  writeSize(head, sizeBytes);
  head.write("00000000000\0", 136);
  head.write(`        ${name.endsWith("/") ? "5" : "0"}`, 148);
  head.write("ustar\u000000", 257);
  head.write(prefix, 345);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** What a header says; undefined when it does not match its own checksum. */
export function readTarHeader(head: Buffer): { name: string; sizeBytes: number; type: string } | undefined {
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (numberAt(head, 148, 8) !== sum) return undefined;
  const type = String.fromCharCode(head[156] ?? 0);
  return { name: nameIn(head), sizeBytes: numberAt(head, 124, 12), type: type === "\0" ? "0" : type };
}

export const isZeroBlock = (head: Buffer): boolean => head.every((byte) => byte === 0);

/** Eleven octal digits end at 8 GiB; beyond, GNU tar and all others of today write the number itself. */
function writeSize(head: Buffer, sizeBytes: number): void {
  if (sizeBytes < 8 ** 11) {
    head.write(`${sizeBytes.toString(8).padStart(11, "0")}\0`, 124);
  } else {
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
}

function nameIn(head: Buffer): string {
  const prefix = text(head, 345, 155);
  return (prefix === "" ? "" : `${prefix}/`) + text(head, 0, 100);
}

/** Names over 100 bytes go into two fields, cut at a slash. */
function splitName(name: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ["", name];
  const cut = name.lastIndexOf("/", 154);
  const [prefix, rest] = [name.slice(0, cut), name.slice(cut + 1)];
  if (cut < 1 || Buffer.byteLength(rest) > 100) throw new Error(`"${name}" is too long a name for tar`);
  return [prefix, rest];
}

/** The zeros behind a file. */
export const tarPadding = (sizeBytes: number): number => (tarBlock - (sizeBytes % tarBlock)) % tarBlock;

const text = (bytes: Buffer, at: number, length: number): string =>
  bytes.toString("utf8", at, at + length).replace(/\0.*$/s, "");

const numberAt = (bytes: Buffer, at: number, length: number): number =>
  (bytes[at] ?? 0) >= 0x80
    ? Number(bytes.readBigUInt64BE(at + length - 8))
    : Number.parseInt(text(bytes, at, length).trim() || "0", 8);

const paxPath = (records: Buffer): string | undefined => /\d+ path=([^\n]*)\n/.exec(String(records))?.[1];
