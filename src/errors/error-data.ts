import { diskError } from "./disk-error.ts";
import { defect } from "./errors.ts";
import { SlipwayError, type Position } from "./slipway-error.ts";

/** An error as it stands in an event or a JSON answer. */
export interface ErrorData {
  code: string;
  what: string;
  why: string;
  next: string;
  else?: string | undefined;
  at?: Position | undefined;
  cause?: string | undefined;
  shared?: string | undefined;
}

/** Any thrown value as error data. What is not ours is a defect, and says so. */
export function errorData(thrown: unknown): ErrorData {
  const known = thrown instanceof SlipwayError ? thrown : diskError(thrown);
  if (known) {
    return {
      code: known.code,
      what: known.what,
      why: known.why,
      next: known.next,
      else: known.else,
      at: known.at,
      cause: known.cause === undefined ? undefined : describeCause(known.cause),
      shared: known.shared,
    };
  }
  const { what, why, next } = defect.text({ why: describeCause(thrown) });
  return { code: defect.code, what, why, next };
}

/** Whether the request or the cluster file is at fault, not the world: such a run ends with exit code 2. */
export const isRequestWrong = ({ code }: { code: string }): boolean =>
  /^(SPEC|RUN_NOT|RUN_NO_ACCESS|RUN_DATA)_|^RESTORE_(?!NOT_WRITTEN)/.test(code);

/** One line for a thrown value: its message and the messages of its causes. */
export function describeCause(thrown: unknown): string {
  const parts: string[] = [];
  let current: unknown = thrown;
  while (current !== undefined && current !== null && parts.length < 4) {
    const text =
      current instanceof Error ? current.message : typeof current === "string" ? current : typeof current;
    if (text !== "" && !parts.includes(text)) parts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(": ");
}
