import { describeCause, errorData, SlipwayError, type ErrorData } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import type { Tell } from "../../plan/index.ts";
import { unexplained } from "./errors.ts";
import type { Inspection } from "./inspection.ts";
import type { Answer, Question } from "./question.ts";

export interface Diagnosis {
  cluster: string;
  /** How many questions were asked. */
  asked: number;
  /** How many of them nobody could answer, though nothing failed. */
  unanswered: number;
  /** What explains the rest; absent when nothing is wrong. */
  cause?: ErrorData;
}

/** Asks the questions in order and follows each bad answer down, until a cause is found or there is nothing left to ask. */
export async function walk(
  inspection: Inspection,
  questions: Question[],
  world: { clock: Clock; tell: Tell },
): Promise<Diagnosis> {
  const cluster = inspection.cluster.name;
  let asked = 0;
  let unanswered = 0;
  const symptoms: string[] = [];

  const ask = async (question: Question, parent: string | undefined): Promise<ErrorData | undefined> => {
    const startedAt = world.clock.now();
    const answer = await question.ask(inspection).catch(orUnknown);
    asked += 1;
    world.tell({
      type: "check",
      phase: "doctor",
      id: question.id,
      title: question.title,
      cluster,
      status: answer.isWell ? "ok" : answer.isUnknown ? "warned" : "failed",
      answer: answer.answer,
      found: answer.evidence,
      tookMs: Math.round(world.clock.now() - startedAt),
      parent,
      error: answer.cause,
    });
    if (answer.isUnknown) unanswered += 1;
    if (answer.isWell || answer.isUnknown) return undefined;
    symptoms.push(`${question.title} ${answer.answer}, ${answer.evidence}`);
    for (const next of answer.further ?? []) {
      const cause = await ask(next, question.id);
      if (cause) return cause;
    }
    return answer.cause;
  };

  for (const question of questions) {
    const cause = await ask(question, undefined);
    if (cause) return { cluster, asked, unanswered, cause };
  }
  const [first] = symptoms;
  if (first === undefined) return { cluster, asked, unanswered };
  return { cluster, asked, unanswered, cause: errorData(unexplained({ cluster, symptom: first })) };
}

/** A question that could not be asked is no sign of health, and no cause either. */
function orUnknown(thrown: unknown): Answer {
  const why = thrown instanceof SlipwayError ? thrown.why : describeCause(thrown);
  return { answer: "?", evidence: why, isWell: false };
}
