import { defineError, type Position } from "../../errors/index.ts";
import type { Refusal, UnreachableHost } from "../../plan/index.ts";

export const notAPlan = defineError("RUN_NOT_A_PLAN", (file: string) => ({
  what: `Cannot run the plan in "${file}"`,
  why: "it is not a plan of this version of Slipway",
  next: `Make one: slipway plan --out ${file}`,
}));

export const notAsPlanned = defineError("RUN_NOT_AS_PLANNED", (differences: string[]) => ({
  what: "Cannot run this plan any more",
  why: `${differences.slice(0, 3).join("; ")}${differences.length > 3 ? ` and ${differences.length - 3} more` : ""}`,
  next: "Make a new plan with plan --out, read it, then run up --plan again; nothing was changed",
}));

export const outsideWindow = defineError(
  "RUN_OUTSIDE_WINDOW",
  (f: { cluster: string; window: string; opens: string; others: string[] }) => ({
    what: `Left a part of "${f.cluster}" for later`,
    why: `its nodes may go in the window of the file only: ${f.window}${f.others.length > 0 ? `; the same holds for ${f.others.join(", ")}` : ""}`,
    next: `Run "slipway up ${f.cluster}" from ${f.opens} on, which goes on where this ended; now: slipway up ${f.cluster} --outside-window`,
  }),
  [{ others: [] }],
);

export const drainStuck = defineError(
  "RUN_DRAIN_BLOCKED",
  (f: { cluster: string; node: string; why: string; cause: unknown }) => ({
    what: `Cannot restart "${f.node}"`,
    why: `its pods cannot leave: ${f.why}`,
    next: `Let the budget allow one more (kubectl get pdb -A) or move these pods, then run "slipway up ${f.cluster}"; "${f.node}" takes pods again, and no node after it was touched`,
    cause: f.cause,
  }),
);

export const preflightFailed = defineError("RUN_PREFLIGHT_FAILED", (failed: number, all: number) => ({
  what: `Cannot start: ${failed} of ${all} preflight checks failed`,
  why: "each failed check above says what it found and what it needs; nothing was changed",
  next: 'Follow the "next" lines above, then run the command again',
}));

/** Machines may stand on a host that cannot be asked, so nothing is decided without its answer. */
export const hostsUnreachable = defineError(
  "RUN_HOSTS_SILENT",
  (doing: string, unreachable: UnreachableHost[], isRemoval?: boolean) => ({
    what: `Cannot ${doing}`,
    why: unreachable.map(({ host, error }) => `host "${host}" cannot be asked: ${error.why}`).join("; "),
    next: unreachable[0]?.error.next ?? "Bring the host back, then run the command again",
    else: isRemoval
      ? `If it is gone for good, take it out of "on" and "hosts" in the cluster file`
      : `While it may come back, its nodes are not created elsewhere; if it is lost for good: slipway up --host-lost ${unreachable[0]?.host ?? "HOST"}`,
    at: unreachable[0]?.error.at,
  }),
  ["<doing>", [{}], false],
);

export const hostTooSlow = defineError(
  "RUN_HOST_TOO_SLOW",
  (f: { host: string; at: Position; seconds: number }) => ({
    what: `Host "${f.host}" does not answer`,
    why: `it gave no answer for ${f.seconds} seconds`,
    next: `Check that "${f.host}" runs and can be reached from here, then run the command again`,
    at: f.at,
  }),
);

export const changesRefused = defineError(
  "RUN_NOT_ALLOWED",
  (first: Refusal, ...more: Refusal[]) => {
    const all = [first, ...more];
    return {
      what:
        more.length === 0
          ? `Cannot change "${first.step}" without your consent`
          : `Cannot make ${all.length} changes without your consent`,
      why: more.length === 0 ? first.why : all.map(({ step, why }) => `${step}: ${why}`).join("; "),
      next: nextFor(all),
    };
  },
  [{}, {}],
);

/** One command for all whose data may go; otherwise the first thing to do. */
function nextFor(all: Refusal[]): string {
  const flags = all.flatMap(({ next }) => /^slipway up (--accept-data-loss \S+)$/.exec(next)?.[1] ?? []);
  return flags.length > 1 ? `slipway up ${flags.join(" ")}` : (all[0]?.next ?? "");
}

export const notConfirmed = defineError("RUN_NOT_CONFIRMED", (what: string) => ({
  what: `Nothing was changed`,
  why: what,
  next: "Add --yes to go on without a question",
}));

export const journalNotWritten = defineError(
  "RUN_JOURNAL_NOT_WRITTEN",
  (f: { folder: string; why: string; cause: unknown }) => ({
    what: `Cannot keep a journal of the run in "${f.folder}"`,
    why: `${f.why}; secrets and access files could not be kept there either, so nothing was started`,
    next: "Free space on the disk, or make the folder writable for the user who runs slipway, then run the command again",
    cause: f.cause,
  }),
);

export const folderOpen = defineError(
  "RUN_FOLDER_OPEN",
  (f: { folder: string; mode: string; cause: unknown }) => ({
    what: `Cannot keep secrets in "${f.folder}"`,
    why: `other users may write in it (mode ${f.mode}), and it cannot be closed to them`,
    next: `Let its owner run: chmod go-w "${f.folder}"`,
    cause: f.cause,
  }),
);

export const caNotRotatable = defineError("ROTATE_NO_CA", (cluster: string) => ({
  what: `Cannot rotate a CA of "${cluster}"`,
  why: "its distribution has no authorities that can be exchanged while it runs",
  next: `See which secrets can be renewed: slipway rotate --help`,
}));

export const partNotRotatable = defineError("ROTATE_NO_PART", (f: { cluster: string; part: string }) => ({
  what: `Cannot rotate the ${f.part} of "${f.cluster}"`,
  why: "its distribution has none that can be exchanged while it runs",
  next: "See which secrets can be renewed: slipway rotate --help",
}));

export const notRecoverable = defineError("SECRETS_NOT_RECOVERABLE", (cluster: string) => ({
  what: `Cannot read the secrets of "${cluster}" back`,
  why: "its distribution keeps a part of them nowhere but in their file",
  next: "Bring the file back from git or a backup",
}));
