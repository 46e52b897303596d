import type { IncomingMessage, ServerResponse } from "node:http";
import { SlipwayError } from "../../errors/index.ts";
import { BodyTooLargeError, readBody } from "../../lib/index.ts";
import { fieldWrong, notJson, nothingThere, readOnly, tooLarge } from "../errors.ts";
import { mostBodyBytes } from "./guard.ts";
import { safeHeaders } from "./page.ts";

export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...safeHeaders, "content-type": type, "content-length": bytes.length });
  response.end(bytes);
}

export const sendJson = (response: ServerResponse, status: number, answer: unknown): void =>
  sendText(response, status, "application/json; charset=utf-8", JSON.stringify(answer));

/** Errors of the request itself; all others stand for something out there. */
const statuses: Record<string, number> = {
  [nothingThere.code]: 404,
  [readOnly.code]: 403,
  [fieldWrong.code]: 400,
  [notJson.code]: 415,
  [tooLarge.code]: 413,
};

/** What somebody can do something about is a conflict; all else is a defect. */
export const statusOf = (thrown: unknown): number =>
  thrown instanceof SlipwayError ? (statuses[thrown.code] ?? 409) : 500;

/** The object that a question is sent as. */
export async function readQuestion(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBody(request, mostBodyBytes).catch((thrown: unknown) => {
    throw thrown instanceof BodyTooLargeError ? tooLarge(mostBodyBytes) : thrown;
  });
  const found = parse(bytes.toString("utf8"));
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw notJson();
  return found as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

const longestText = 1_000;

export function textField(question: Record<string, unknown>, field: string): string {
  const found = optionalField(question, field);
  if (found === undefined) throw fieldWrong(field, "given");
  return found;
}

export function optionalField(question: Record<string, unknown>, field: string): string | undefined {
  const found = question[field];
  if (found === undefined || (typeof found === "string" && found.length <= longestText)) return found;
  throw fieldWrong(field, "a short text");
}
