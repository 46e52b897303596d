/** XDR, as libvirt writes it: big-endian, everything in steps of four bytes. */
export interface Xdr<T> {
  write(out: XdrWriter, value: T): void;
  read(from: XdrReader): T;
}

export type ValueOf<X> = X extends Xdr<infer T> ? T : never;

export class XdrWriter {
  private readonly parts: Buffer[] = [];

  bytes(value: Buffer): void {
    this.parts.push(value);
  }

  take(): Buffer {
    return Buffer.concat(this.parts);
  }
}

export class XdrReader {
  private at = 0;
  private readonly data: Buffer;

  constructor(data: Buffer) {
    this.data = data;
  }

  bytes(length: number): Buffer {
    if (this.at + length > this.data.length) {
      throw new Error(`the answer ends after ${this.data.length} bytes, ${this.at + length} were needed`);
    }
    const found = this.data.subarray(this.at, this.at + length);
    this.at += length;
    return found;
  }
}

/** A number of a fixed width, by the names of Buffer's own methods. */
function fixed(
  length: 4 | 8,
  write: (bytes: Buffer, value: number) => void,
  read: (bytes: Buffer) => number,
) {
  return {
    write(out: XdrWriter, value: number): void {
      const bytes = Buffer.alloc(length);
      write(bytes, value);
      out.bytes(bytes);
    },
    read: (from: XdrReader): number => read(from.bytes(length)),
  } satisfies Xdr<number>;
}

export const i32 = fixed(
  4,
  (bytes, value) => bytes.writeInt32BE(value),
  (bytes) => bytes.readInt32BE(),
);
export const u32 = fixed(
  4,
  (bytes, value) => bytes.writeUInt32BE(value),
  (bytes) => bytes.readUInt32BE(),
);
// Sizes and times stay far below 2^53, so numbers are wide enough.
export const i64 = fixed(
  8,
  (bytes, value) => bytes.writeBigInt64BE(BigInt(value)),
  (bytes) => Number(bytes.readBigInt64BE()),
);
export const u64 = fixed(
  8,
  (bytes, value) => bytes.writeBigUInt64BE(BigInt(value)),
  (bytes) => Number(bytes.readBigUInt64BE()),
);
export const f64 = fixed(
  8,
  (bytes, value) => bytes.writeDoubleBE(value),
  (bytes) => bytes.readDoubleBE(),
);

export const flag: Xdr<boolean> = {
  write: (out, value) => i32.write(out, value ? 1 : 0),
  read: (from) => i32.read(from) !== 0,
};

const padding = (length: number): number => (4 - (length % 4)) % 4;

export const str: Xdr<string> = {
  write(out, value) {
    const text = Buffer.from(value);
    u32.write(out, text.length);
    out.bytes(text);
    out.bytes(Buffer.alloc(padding(text.length)));
  },
  read(from) {
    const length = u32.read(from);
    const text = from.bytes(length).toString();
    from.bytes(padding(length));
    return text;
  },
};

/** Sixteen bytes without a length, as `8-4-4-4-12` hex digits. */
export const uuid: Xdr<string> = {
  write: (out, value) => out.bytes(Buffer.from(value.replaceAll("-", ""), "hex")),
  read: (from) =>
    from
      .bytes(16)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
};

/** The C type `char name[32]`: each character in four bytes of its own. */
export const wideText: Xdr<string> = {
  write(out, value) {
    for (let at = 0; at < 32; at += 1) i32.write(out, value.codePointAt(at) ?? 0);
  },
  read(from) {
    const codes = Array.from({ length: 32 }, () => i32.read(from));
    return String.fromCodePoint(...codes.slice(0, codes.indexOf(0)));
  },
};

export const optional = <T>(of: Xdr<T>): Xdr<T | undefined> => ({
  write(out, value) {
    u32.write(out, value === undefined ? 0 : 1);
    if (value !== undefined) of.write(out, value);
  },
  read: (from) => (u32.read(from) === 0 ? undefined : of.read(from)),
});

export const list = <T>(of: Xdr<T>): Xdr<T[]> => ({
  write(out, value) {
    u32.write(out, value.length);
    for (const item of value) of.write(out, item);
  },
  read: (from) => Array.from({ length: u32.read(from) }, () => of.read(from)),
});

type Fields = Record<string, Xdr<never> | Xdr<unknown>>;
export type RecordOf<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> };

/** Fields one after the other, in the order they are listed. */
export const record = <F extends Fields>(fields: F): Xdr<RecordOf<F>> => ({
  write(out, value) {
    for (const [name, field] of Object.entries(fields))
      (field as Xdr<unknown>).write(out, value[name as keyof F]);
  },
  read: (from) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.read(from)]),
    ) as RecordOf<F>,
});

export const nothing: Xdr<void> = { write: () => {}, read: () => undefined };

export function encode<T>(as: Xdr<T>, value: T): Buffer {
  const out = new XdrWriter();
  as.write(out, value);
  return out.take();
}

export const decode = <T>(as: Xdr<T>, data: Buffer): T => as.read(new XdrReader(data));
