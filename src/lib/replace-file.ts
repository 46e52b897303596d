import { randomBytes } from "node:crypto";
import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";

/** What is written: all of it, or what comes, in constant memory. */
type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>;

/** The calls that writing needs; a test passes a disk that loses power. */
export type Disk = Pick<typeof fs, "link" | "mkdir" | "open" | "readFile" | "rename" | "rm">;

export interface WriteOptions {
  /** Gets what the disk gives back of the new file, and throws if the old one must stay. */
  prove?: (written: Buffer) => Promise<void>;
  disk?: Disk;
}

/**
 * Writes a private file as databases do: a draft, on the disk before it gets its name, and the name on the disk before
 * anybody goes on. A reader sees the old text or the new one, never half of one, also after a power cut.
 */
export const replaceFile = (
  file: string,
  text: FileContent,
  { prove, disk = fs }: WriteOptions = {},
): Promise<void> =>
  withDraft(file, text, disk, async (draft) => {
    if (prove) await prove(await disk.readFile(draft));
    await disk.rename(draft, file);
  });

/**
 * The same for a file that must not be there yet. False when it was, and it stays as it is: a hard link either makes the
 * complete file appear or fails, whoever else tries at the same moment.
 */
export const createFile = (
  file: string,
  text: FileContent,
  { prove, disk = fs }: WriteOptions = {},
): Promise<boolean> =>
  withDraft(file, text, disk, async (draft) => {
    if (prove) await prove(await disk.readFile(draft));
    return disk.link(draft, file).then(
      () => true,
      (thrown: unknown) => {
        if (hasCode(thrown, "EEXIST")) return false;
        throw thrown;
      },
    );
  });

/** A file that takes shape out of order under a name of its own, until it gets the one it was made for. */
export interface Draft extends AsyncDisposable {
  handle: FileHandle;
  /** Once it is on the disk. Disposing takes away a draft that was not published. */
  publish(): Promise<void>;
}

export async function openDraft(file: string): Promise<Draft> {
  await makeFolder(path.dirname(file), fs);
  const draft = draftOf(file);
  const handle = await fs.open(draft, "wx+", 0o600);
  return {
    handle,
    async publish() {
      await handle.sync();
      await fs.rename(draft, file);
      await syncFolder(path.dirname(file), fs);
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
      await fs.rm(draft, { force: true });
    },
  };
}

/** Takes files away for good: after a power cut they do not come back. */
export async function removeFiles(files: string[], disk: Disk = fs): Promise<void> {
  for (const file of files) await disk.rm(file, { force: true });
  for (const folder of new Set(files.map((file) => path.dirname(file)))) await syncFolder(folder, disk);
}

/** What a write that was killed leaves behind; it may hold secrets. */
export const isDraft = (name: string): boolean => /\.[0-9a-f]{12}\.draft$/.test(name);

const draftOf = (file: string): string => `${file}.${randomBytes(6).toString("hex")}.draft`;

async function withDraft<T>(
  file: string,
  text: FileContent,
  disk: Disk,
  publish: (draft: string) => Promise<T>,
): Promise<T> {
  const folder = path.dirname(file);
  const draft = draftOf(file);
  try {
    await makeFolder(folder, disk);
    await writeDraft(draft, text, disk);
    const result = await publish(draft);
    await syncFolder(folder, disk);
    return result;
  } catch (thrown) {
    // A failed write does not say of what; people know the file by its own name.
    if (thrown instanceof Error && "syscall" in thrown) Object.assign(thrown, { path: file });
    throw thrown;
  } finally {
    await disk.rm(draft, { force: true }).catch(() => undefined);
  }
}

async function writeDraft(draft: string, text: FileContent, disk: Disk): Promise<void> {
  const handle = await disk.open(draft, "wx", 0o600);
  try {
    if (typeof text === "string" || text instanceof Uint8Array) await handle.writeFile(text);
    else for await (const part of text) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Each new folder is an entry of the one above it. */
async function makeFolder(folder: string, disk: Disk): Promise<void> {
  const first = await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path.resolve(folder); made.length >= path.resolve(first).length; made = path.dirname(made))
    await syncFolder(path.dirname(made), disk);
}

/** Some network file systems, and Windows, know no such call; there the file itself must do. */
async function syncFolder(folder: string, disk: Disk): Promise<void> {
  const isMissing = (thrown: unknown): boolean =>
    ["EINVAL", "EBADF", "ENOTSUP", "EISDIR", "EPERM", "EACCES", "ENOENT"].some((code) =>
      hasCode(thrown, code),
    );
  const handle = await disk.open(folder, "r").catch((thrown: unknown) => {
    if (!isMissing(thrown)) throw thrown;
  });
  if (!handle) return;
  try {
    await handle.sync();
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  } finally {
    await handle.close();
  }
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && "code" in thrown && thrown.code === code;
