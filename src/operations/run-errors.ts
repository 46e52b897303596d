import { SlipwayError, type Position } from "../errors/index.ts";
import type { Refusal, SilentHost } from "../plan/index.ts";

export const notAPlan = (file: string) =>
  new SlipwayError({
    code: "RUN_NOT_A_PLAN",
    what: `Cannot run the plan in "${file}"`,
    why: "it is no plan of this version of Slipway",
    next: `Make one: slipway plan --out ${file}`,
  });

export const notAsPlanned = (differences: string[]) =>
  new SlipwayError({
    code: "RUN_NOT_AS_PLANNED",
    what: "Cannot run this plan any more",
    why: `${differences.slice(0, 3).join("; ")}${differences.length > 3 ? ` and ${differences.length - 3} more` : ""}`,
    next: "Plan anew with plan --out, look at it, then run up --plan again; nothing was changed",
  });

export const preflightFailed = (failed: number, all: number) =>
  new SlipwayError({
    code: "RUN_PREFLIGHT_FAILED",
    what: `Cannot start: ${failed} of ${all} preflight checks failed`,
    why: "each failed check above says what it found and what it needs; nothing was changed",
    next: 'Follow the "next" lines above, then run the command again',
  });

/** Machines may stand on a host that cannot be asked, so nothing is decided without its answer. */
export const hostsSilent = (doing: string, silent: SilentHost[], isRemoval = false) =>
  new SlipwayError({
    code: "RUN_HOSTS_SILENT",
    what: `Cannot ${doing}`,
    why: silent.map(({ host, error }) => `host "${host}" cannot be asked: ${error.why}`).join("; "),
    next: silent[0]?.error.next ?? "Bring the host back, then run the command again",
    else: isRemoval
      ? `If it is gone for good, take it out of "on" and "hosts" in the cluster file`
      : "Its nodes are not made elsewhere while it may come back with them; what runs goes on",
    ...(silent[0]?.error.at && { at: silent[0].error.at }),
  });

export const hostTooSlow = (f: { host: string; at: Position; seconds: number }) =>
  new SlipwayError({
    code: "RUN_HOST_TOO_SLOW",
    what: `Host "${f.host}" does not answer`,
    why: `it took the connection or nothing at all, and said nothing for ${f.seconds} seconds`,
    next: `Check that "${f.host}" runs and can be reached from here, then run the command again`,
    at: f.at,
  });

export const changesRefused = (first: Refusal, ...more: Refusal[]) => {
  const all = [first, ...more];
  return new SlipwayError({
    code: "RUN_NOT_ALLOWED",
    what:
      more.length === 0
        ? `Cannot change "${first.step}" without your word`
        : `Cannot make ${all.length} changes without your word`,
    why: more.length === 0 ? first.why : all.map(({ step, why }) => `${step}: ${why}`).join("; "),
    next: nextFor(all),
  });
};

/** One command for all whose data may go; otherwise the first thing to do. */
function nextFor(all: Refusal[]): string {
  const flags = all.flatMap(({ next }) => /^slipway up (--accept-data-loss \S+)$/.exec(next)?.[1] ?? []);
  return flags.length > 1 ? `slipway up ${flags.join(" ")}` : (all[0]?.next ?? "");
}

export const notConfirmed = (what: string) =>
  new SlipwayError({
    code: "RUN_NOT_CONFIRMED",
    what: `Nothing was changed`,
    why: what,
    next: "Add --yes to go on without a question",
  });

export const libvirtNotSimulated = (f: { file: string; cluster: string; hosts: string[]; at: Position }) =>
  new SlipwayError({
    code: "RUN_NOT_SIMULATED",
    what: `Cannot rehearse "${f.cluster}"`,
    why: `it runs on ${f.hosts.join(", ")} with libvirt, and only Proxmox is simulated`,
    next: `Look at what would be done: slipway plan -f ${f.file}`,
    else: `Try it for real on a test host: slipway up --until machines -f ${f.file}, then slipway down`,
    at: f.at,
  });

export const journalNotWritten = (f: { folder: string; why: string; cause: unknown }) =>
  new SlipwayError({
    code: "RUN_JOURNAL_NOT_WRITTEN",
    what: `Cannot keep a journal of the run in "${f.folder}"`,
    why: `${f.why}; secrets and access files could not be kept there either, so nothing was started`,
    next: "Free space on the disk, or make the folder writable for the user who runs slipway, then run the command again",
    cause: f.cause,
  });

export const folderOpen = (f: { folder: string; mode: string; cause: unknown }) =>
  new SlipwayError({
    code: "RUN_FOLDER_OPEN",
    what: `Cannot keep secrets in "${f.folder}"`,
    why: `other users may write in it (mode ${f.mode}), and it cannot be closed to them`,
    next: `Let its owner run: chmod go-w "${f.folder}"`,
    cause: f.cause,
  });
