/** The body of an answer that is not the thing asked for. */
export interface Status {
  kind: "Status";
  code?: number;
  reason?: string;
  message?: string;
  details?: { retryAfterSeconds?: number; causes?: StatusCause[] };
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export const isStatus = (value: unknown): value is Status =>
  typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";

export const causesOf = (status: Status | undefined, reason: string): StatusCause[] =>
  (status?.details?.causes ?? []).filter((cause) => cause.reason === reason);
