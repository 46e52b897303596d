import { SlipwayError } from "../../errors/index.ts";
import type { JournalReason } from "./journal.ts";

/** Whose journal it is, and what it was meant to do. */
export interface JournalSubject {
  node: string;
  /** `k3s` or `k3s-agent`. */
  unit: string;
  /** Where it was told to join, if it was. */
  server?: string;
  /** The hash of our own authority. */
  caHash?: string;
}

/** What the journal says, as an error of ours. */
export const journalError = (subject: JournalSubject, reason: JournalReason): SlipwayError =>
  new SlipwayError({ code: reason.code, what: subject.node, why: reason.line, next: "" });
