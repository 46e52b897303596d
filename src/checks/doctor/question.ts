import type { ErrorData } from "../../errors/index.ts";
import type { Inspection } from "./inspection.ts";

/**
 * The tree is plain data that grows while it is walked: a question asks one thing with the cheapest probe, and its
 * answer leads to further questions, to a cause, or to nothing because all is well there.
 */
export interface Question {
  /** Permanent, e.g. `api-answers`. */
  id: string;
  /** What a person would ask: `Does the API answer?`. */
  title: string;
  ask(inspection: Inspection): Promise<Answer>;
}

export interface Answer {
  /** `yes`, `no`, or a name. */
  answer: string;
  /** What was seen, in a few words. */
  evidence: string;
  /** Nothing is wrong here: go on with the next question. */
  isWell: boolean;
  /** Nobody could tell: neither a sign of health nor of trouble. */
  isUnknown?: true;
  /** What to ask next, cheapest first. The first of them that finds a cause ends the walk. */
  further?: Question[];
  /** What is wrong when none of these knows better. */
  cause?: ErrorData;
}

/** All is well here. */
export const yes = (evidence: string): Answer => ({ answer: "yes", evidence, isWell: true });

/** Something is wrong here, and this is where to look for the cause. */
export const no = (evidence: string, rest: Pick<Answer, "further" | "cause"> = {}): Answer => ({
  answer: "no",
  evidence,
  isWell: false,
  ...rest,
});

/** Nobody who was asked knows. */
export const unknown = (evidence: string): Answer => ({
  answer: "?",
  evidence,
  isWell: false,
  isUnknown: true,
});

/** An answer that is neither: it names somebody. */
export const names = (
  answer: string,
  evidence: string,
  rest: Pick<Answer, "further" | "cause"> = {},
): Answer => ({
  answer,
  evidence,
  isWell: false,
  ...rest,
});
