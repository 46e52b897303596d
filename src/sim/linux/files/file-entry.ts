/** One name in a file system, as plain data. Bytes that are no text are kept as base64. */
export type FileEntry = { owner: string; mode: number } & (
  | { kind: "folder" }
  | { kind: "link"; target: string }
  | ({ kind: "file" } & StoredContent)
);

type StoredContent = { text: string; base64?: never } | { base64: string; text?: never };

/** By whole path. */
export type FileStore = Record<string, FileEntry>;

export function storedContent(content: Buffer): StoredContent {
  const text = content.toString("utf8");
  return Buffer.from(text, "utf8").equals(content) ? { text } : { base64: content.toString("base64") };
}

export function contentOf(entry: FileEntry): Buffer {
  if (entry.kind !== "file") return Buffer.alloc(0);
  return entry.text === undefined ? Buffer.from(entry.base64, "base64") : Buffer.from(entry.text, "utf8");
}

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
