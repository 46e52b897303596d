import { isZeroBlock, readTarHeader, tarBlock, tarPadding } from "./tar.ts";

/** A file of an archive that is read as it comes. Its bytes are read before the next one is asked for, or passed over. */
export interface StreamedFile {
  name: string;
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** The archive is not what it should be; the message says why. */
export class TarError extends Error {
  override readonly name = "TarError";
}

/**
 * The plain files of an archive, one after the other, in constant memory. Stricter than `tar`: a header that does not match its
 * checksum, a link, a folder, or an archive without its end is an error, because what reads it wants all or nothing.
 */
export async function* streamTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedFile> {
  const reader = new ByteReader(source);
  try {
    for (;;) {
      const head = await reader.exactly(tarBlock);
      if (isZeroBlock(head)) return await expectEnd(reader);
      const found = readTarHeader(head);
      if (!found) throw new TarError("a header does not match its checksum");
      if (found.type !== "0") throw new TarError(`"${found.name}" is not a plain file`);
      const { name, sizeBytes } = found;
      const end = reader.position + sizeBytes + tarPadding(sizeBytes);
      yield { name, sizeBytes, bytes: reader.upTo(sizeBytes) };
      // What nobody read is passed over.
      for await (const _ of reader.upTo(end - reader.position));
    }
  } finally {
    await reader.close();
  }
}

/** Archives end with two blocks of zeros, and often with more of them. Anything else was put there by somebody else. */
async function expectEnd(reader: ByteReader): Promise<void> {
  await reader.exactly(tarBlock);
  for await (const part of reader.upTo(Infinity))
    if (part.some((byte) => byte !== 0)) throw new TarError("there is more behind its end");
}

/** Takes pieces of any size and gives out pieces as they are wanted. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  /** How many bytes were given out. */
  position = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async exactly(sizeBytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.upTo(sizeBytes)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** So many bytes, as they come. Throws when there are fewer, unless all that is left is wanted. */
  async *upTo(sizeBytes: number): AsyncGenerator<Uint8Array> {
    for (let left = sizeBytes; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#fill())) {
        if (sizeBytes === Infinity) return;
        throw new TarError("it is cut short");
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      this.position += part.length;
      yield part;
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(): Promise<boolean> {
    for (;;) {
      const next = await this.#source.next();
      if (next.done) return false;
      this.#rest = next.value;
      if (this.#rest.length > 0) return true;
    }
  }
}
