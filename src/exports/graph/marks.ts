import type { Mark } from "./model.ts";

/** How urgent a mark is; each tone has its own colours. */
export type Tone = "add" | "good" | "warn" | "bad" | "quiet";

export interface MarkText {
  /** Nothing is said by colour alone. */
  sign: string;
  word: string;
  tone: Tone;
  /** It is not there: not yet, or not any more. */
  isAbsent?: true;
}

export const marks: Record<Mark, MarkText> = {
  create: { sign: "+", word: "create", tone: "add", isAbsent: true },
  change: { sign: "~", word: "change", tone: "warn" },
  replace: { sign: "±", word: "replace", tone: "bad" },
  remove: { sign: "−", word: "remove", tone: "bad" },
  refused: { sign: "!", word: "refused", tone: "bad" },
  same: { sign: "=", word: "unchanged", tone: "quiet" },
  ready: { sign: "✓", word: "Ready", tone: "good" },
  "not-ready": { sign: "!", word: "Not Ready", tone: "warn" },
  unreachable: { sign: "✗", word: "unreachable", tone: "bad" },
  stopped: { sign: "✗", word: "stopped", tone: "bad" },
  missing: { sign: "✗", word: "missing", tone: "bad", isAbsent: true },
  leftover: { sign: "−", word: "leftover", tone: "warn" },
};

/** `+ create`; with what is known about it, `~ change: memory 8 GiB → 12 GiB`. */
export const markText = (mark: Mark, note?: string): string =>
  `${marks[mark].sign} ${marks[mark].word}${note === undefined ? "" : `: ${note}`}`;
