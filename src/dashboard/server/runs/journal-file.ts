import fs, { constants, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { RunEvent } from "../../../plan/index.ts";

/** `20260714-093102`, and a letter where two began within a second. Nothing else names a journal. */
const runShape = /^\d{8}-\d{6}[b-z]?$/;

const ending = ".ndjson";

/** Names of runs, newest first. Whatever else stands in the folder is left alone. */
export async function runNames(folder: string): Promise<string[]> {
  const entries = await fs.readdir(path.join(folder, "runs"), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map(({ name }) => name.slice(0, -ending.length))
    .filter((name) => runShape.test(name))
    .toSorted()
    .toReversed();
}

/** Opens the journal of a run; undefined where there is none. Links are not followed, and a pipe is not waited for. */
export async function openRun(folder: string, run: string): Promise<FileHandle | undefined> {
  if (!runShape.test(run)) return undefined;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = path.join(folder, "runs", `${run}${ending}`);
  const handle = await fs.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!handle || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

/** A plan of a thousand nodes is a tenth of it. */
const longestLine = 64 * 1024 ** 2;
const pieceBytes = 256 * 1024;
const lineBreak = 0x0a;

/** The lines of a journal while it grows. One that its writer has not ended yet is waited for. */
export class JournalLines {
  readonly #handle: FileHandle;
  readonly #piece = Buffer.allocUnsafe(pieceBytes);
  #position = 0;
  /** The beginning of a line whose end has not come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The next lines that are complete; undefined when nothing has come since. */
  async next(): Promise<string[] | undefined> {
    const { bytesRead } = await this.#handle.read(this.#piece, 0, pieceBytes, this.#position);
    if (bytesRead === 0) return undefined;
    this.#position += bytesRead;
    return this.#take(this.#piece.subarray(0, bytesRead));
  }

  #take(piece: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(lineBreak); end >= 0; end = piece.indexOf(lineBreak, from)) {
      this.#begin(piece.subarray(from, end));
      // Of one that is too long only its length was kept.
      if (this.#begunBytes <= longestLine) lines.push(Buffer.concat(this.#begun).toString("utf8"));
      this.#begun = [];
      this.#begunBytes = 0;
      from = end + 1;
    }
    // The piece is used again.
    this.#begin(Buffer.from(piece.subarray(from)));
    return lines;
  }

  #begin(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > longestLine) this.#begun = [];
    else if (part.length > 0) this.#begun.push(part);
  }
}

const mostTailBytes = 8 * 1024 ** 2;

/** The last lines of a journal, the very last first; at least one whole line where there is one. */
export async function lastLines(handle: FileHandle): Promise<string[]> {
  const { size } = await handle.stat();
  for (let bytes = Math.min(size, pieceBytes); ; bytes = Math.min(size, bytes * 4)) {
    const tail = Buffer.alloc(bytes);
    const { bytesRead } = await handle.read(tail, 0, bytes, size - bytes);
    const lines = tail.toString("utf8", 0, bytesRead).trimEnd().split("\n");
    // The first one may have been cut by where the look began.
    if (bytes === size || bytes >= mostTailBytes || lines.length > 1)
      return lines.slice(bytes === size ? 0 : 1).toReversed();
  }
}

/** What a line tells. A line that is half-written, or was written by somebody else, tells nothing. */
export function readEvent(line: string): RunEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<RunEvent> | null;
    if (typeof event !== "object" || event === null) return undefined;
    const { seq, type, run, at, ms } = event;
    const isTold = Number.isSafeInteger(seq) && Number.isFinite(ms) && typeof type === "string";
    return isTold && typeof run === "string" && typeof at === "string" ? (event as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}
