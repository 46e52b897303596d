import { diskFull, diskRefused } from "./errors.ts";
import type { SlipwayError } from "./slipway-error.ts";

const words: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "your quota on the disk is used up",
  EROFS: "the file system is read-only",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EIO: "the disk answers with an error",
  EMFILE: "too many files are open at once",
  ENFILE: "too many files are open on this machine",
};

/** Calls to a disk; the same codes come from sockets too. */
const calls =
  /^(open|write|fsync|fdatasync|rename|link|symlink|unlink|mkdir|mkdtemp|rm|rmdir|chmod|ftruncate|copyfile|scandir|read|close)$/;

/** What a disk answered, in words. */
export function diskText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown reason";
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  return words[code] ?? message.replace(/, \w+( '.*)?$/, "");
}

/** A refusal of this machine's own disk, wherever it came from, as an error with a way out; undefined for all else. */
export function diskError(thrown: unknown): SlipwayError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code = "", syscall = "", path } = thrown as NodeJS.ErrnoException;
  if (!(code in words) || !calls.test(syscall)) return undefined;
  const refused = code === "ENOSPC" || code === "EDQUOT" ? diskFull : diskRefused;
  return refused({ path, why: diskText(thrown), cause: thrown });
}
