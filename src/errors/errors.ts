import { defineError } from "./define-error.ts";

/** What this machine's own disk refused; without a path, the system did not say which file it was. */
interface DiskRefusal {
  path: string | undefined;
  why: string;
  cause: unknown;
}

const diskUse = ({ path }: DiskRefusal): string =>
  path === undefined ? "Cannot write a file on this computer" : `Cannot use "${path}"`;

export const diskFull = defineError(
  "RUN_DISK_FULL",
  (f: DiskRefusal) => ({
    what: diskUse(f),
    why: f.why,
    next: "Free space on it (df -h says how much there is), then run the command again",
    cause: f.cause,
  }),
  [{ path: undefined }],
);

export const diskRefused = defineError(
  "RUN_DISK_REFUSED",
  (f: DiskRefusal) => ({
    what: diskUse(f),
    why: f.why,
    next: "Check who owns it and whether its file system is writable (ls -ld, mount), then run the command again",
    cause: f.cause,
  }),
  [{ path: undefined }],
);

export const defect = defineError("SLIPWAY_DEFECT", (f: { why: string }) => ({
  what: "Slipway met a case it does not know",
  why: f.why,
  next: "Run the command again with --log-level debug and report what it prints",
}));
