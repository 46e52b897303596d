/** A file of a tar archive. */
export interface TarFile {
  name: string;
  bytes: Buffer;
  /** 0644 when not given. */
  mode?: number;
}

const block = 512;

/** An archive whose bytes depend on the files alone: no owner, no time. */
export function writeTar(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap(({ name, bytes, mode = 0o644 }) => [
    tarHeader(name, bytes.length, mode),
    bytes,
    Buffer.alloc(padding(bytes.length)),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/** The plain files of an archive; links, folders and the like are passed over. */
export function* readTar(archive: Buffer): Generator<TarFile> {
  let longName: string | undefined;
  for (let at = 0; at + block <= archive.length;) {
    const head = archive.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) return;
    const sizeBytes = octal(head, 124, 12);
    const bytes = archive.subarray(at + block, at + block + sizeBytes);
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "x") longName = paxPath(bytes) ?? longName;
    else if (type === "L") longName = text(bytes, 0, bytes.length);
    else {
      const prefix = text(head, 345, 155);
      const name = longName ?? (prefix === "" ? "" : `${prefix}/`) + text(head, 0, 100);
      longName = undefined;
      if (type === "0" || type === "\0") yield { name, bytes, mode: octal(head, 100, 8) };
    }
    at += block + sizeBytes + padding(sizeBytes);
  }
}

/** The 512 bytes before a file. */
export function tarHeader(name: string, sizeBytes: number, mode: number): Buffer {
  const [prefix, rest] = splitName(name);
  const head = Buffer.alloc(block);
  head.write(rest, 0);
  head.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${sizeBytes.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        0", 148);
  head.write("ustar\u000000", 257);
  head.write(prefix, 345);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** Names over 100 bytes go into two fields, cut at a slash. */
function splitName(name: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ["", name];
  const cut = name.lastIndexOf("/", 154);
  const [prefix, rest] = [name.slice(0, cut), name.slice(cut + 1)];
  if (cut < 1 || Buffer.byteLength(rest) > 100) throw new Error(`"${name}" is too long a name for tar`);
  return [prefix, rest];
}

const padding = (sizeBytes: number): number => (block - (sizeBytes % block)) % block;

const text = (bytes: Buffer, at: number, length: number): string =>
  bytes.toString("utf8", at, at + length).replace(/\0.*$/s, "");

const octal = (bytes: Buffer, at: number, length: number): number =>
  Number.parseInt(text(bytes, at, length).trim() || "0", 8);

const paxPath = (records: Buffer): string | undefined => /\d+ path=([^\n]*)\n/.exec(String(records))?.[1];
