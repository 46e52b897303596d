/** The body of an answer that is not the thing asked for. */
export interface Status {
  kind: "Status";
  code?: number;
  reason?: string;
  message?: string;
}

export const isStatus = (value: unknown): value is Status =>
  typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";
