/** What a kernel answers when a path cannot be used. */
const words = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EISDIR: "Is a directory",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  EEXIST: "File exists",
  ELOOP: "Too many levels of symbolic links",
  ENOSPC: "No space left on device",
  EROFS: "Read-only file system",
} as const;

export type Errno = keyof typeof words;

export class FileError extends Error {
  readonly code: Errno;

  constructor(code: Errno) {
    super(words[code]);
    this.code = code;
  }
}

/** The kernel's words for it; anything that is no such answer is thrown on. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof FileError) return thrown.message;
  throw thrown;
}
