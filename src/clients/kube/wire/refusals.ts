import type { SlipwayError } from "../../../errors/index.ts";
import { evictionHeld, fieldsOwned, type Tried } from "../errors.ts";
import { causesOf, type Status } from "../kinds/status.ts";
import { byNumber, otherRefusal, particular, serverError } from "./refusal-errors.ts";

/** The server understood and said no. */
export function callRefused(tried: Tried, code: number, status: Status | undefined): SlipwayError {
  const conflicts = causesOf(status, "FieldManagerConflict");
  if (conflicts.length > 0) return fieldsOwned(tried, conflicts);
  const budgets = causesOf(status, "DisruptionBudget");
  if (code === 429 && budgets.length > 0) return evictionHeld(tried, budgets);
  const refused = particularOf(status) ?? byNumber[code] ?? (code >= 500 ? serverError : otherRefusal);
  return refused(tried, code, status?.message);
}

const particularOf = (status: Status | undefined) =>
  particular.find(
    ({ reason, message, cause }) =>
      (reason !== undefined && status?.reason === reason) ||
      (message !== undefined && message.test(status?.message ?? "")) ||
      (cause !== undefined && causesOf(status, cause).length > 0),
  )?.error;
