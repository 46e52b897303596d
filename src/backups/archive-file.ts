import { randomBytes } from "node:crypto";
import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { openDraft, type Draft } from "../lib/index.ts";

/** More of them would outlive a collection of short-lived memory: 1 GiB took up to twice as long with 1 MiB. */
const batchBytes = 256 * 1024;

/** Where an archive takes shape, out of order, before it goes to its places. It is encrypted from its first byte. */
export class ArchiveFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #close: () => Promise<void>;
  /** The name it may get where it lies. */
  #draft: { file: string; publish: Draft["publish"] } | undefined;
  sizeBytes = 0;

  private constructor(handle: FileHandle, close: () => Promise<void>) {
    this.#handle = handle;
    this.#close = close;
  }

  /** As a draft of `file`, in the folder where it is to stay. */
  static async draftOf(file: string): Promise<ArchiveFile> {
    const draft = await openDraft(file);
    const made = new ArchiveFile(draft.handle, async () => draft[Symbol.asyncDispose]());
    made.#draft = { file: path.resolve(file), publish: draft.publish };
    return made;
  }

  /** For an archive that goes elsewhere: the file loses its name at once, so that nothing stays however the process ends. */
  static async nameless(folder: string): Promise<ArchiveFile> {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, `.backup-${randomBytes(6).toString("hex")}.spool`);
    const handle = await fs.open(file, "wx+", 0o600);
    // Windows keeps the name of an open file.
    const isNameless = await fs.rm(file).then(
      () => true,
      () => false,
    );
    return new ArchiveFile(handle, async () => {
      await handle.close();
      if (!isNameless) await fs.rm(file, { force: true });
    });
  }

  /** Writes what comes from `at` on, one batch while the next is being made. */
  async write(at: number, content: AsyncIterable<Uint8Array[]>): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    let batch: Uint8Array[] = [];
    let [end, waiting] = [at, 0];
    const flush = async (): Promise<void> => {
      await writing;
      writing = this.#writeAll(batch, end);
      // Told where it is awaited.
      writing.catch(() => undefined);
      end += waiting;
      [batch, waiting] = [[], 0];
    };
    for await (const pieces of content) {
      for (const piece of pieces) {
        batch.push(piece);
        waiting += piece.length;
      }
      if (waiting >= batchBytes) await flush();
    }
    if (waiting > 0) await flush();
    await writing;
    if (end > at) this.sizeBytes = Math.max(this.sizeBytes, end);
  }

  async #writeAll(batch: Uint8Array[], at: number): Promise<void> {
    const wanted = batch.reduce((sum, { length }) => sum + length, 0);
    const { bytesWritten } = await this.#handle.writev(batch, at);
    if (bytesWritten === wanted) return;
    // A disk that is nearly full takes a part; the rest says why.
    const rest = Buffer.concat(batch).subarray(bytesWritten);
    for (let done = 0; done < rest.length;)
      done += (await this.#handle.write(rest, done, rest.length - done, at + bytesWritten + done))
        .bytesWritten;
  }

  /** All of it, as often as need be. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < this.sizeBytes;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(batchBytes, this.sizeBytes - at));
      const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) throw new Error("the archive was cut while it waited");
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Gives it the name it was drafted for. False when `file` is another one, which gets a copy. */
  async keepAs(file: string): Promise<boolean> {
    if (this.#draft?.file !== path.resolve(file)) return false;
    await this.#draft.publish();
    this.#draft = undefined;
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
