/**
 * How a thing is named and where it stands on every screen. Its kind says so, and the plan carries it along: no screen
 * knows a kind or a step by name.
 */
export interface Face {
  /** What one of its kind is called: `machine`. */
  noun: string;
  /** Several of them, where that is not the noun with an "s". */
  plural?: string;
  /** What they are called together where nobody would count them: `access files`. */
  uncounted?: string;
  /** What its line is about: its node, the host of an image, `API`. */
  label: string;
  /** The same within a sentence, where that differs: `the API`. */
  inText?: string;
  /** The same as a heading that stands alone, where that differs: `Image hydra`. */
  lane?: string;
  /** A new one in a list of changes, where its label and host do not say it: `image on hydra`. */
  asNew?: string;
  /** The part of the screen it stands in, where that is not its group of the graph. */
  section?: Section;
  /** Its line in the first plan of a cluster. */
  planLine?: PlanLine;
  /** What starts again when it changes, where that is not the whole machine: `K3s`. */
  restarts?: string;
  /** Nothing simulates it, so a rehearsal is not proposed. */
  hasNoRehearsal?: true;
}

/** What is written at home, beside the file, and what is given to machines before they start. */
export type Section = "secrets" | "seeds";

/** Said once for each, or counted and listed by name: `2 networks   lab on desk, lab on shed`. */
export type PlanLine =
  | { title: string; text: string }
  | { counted: string; name: string; before?: string; after?: string };
