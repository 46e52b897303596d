/** An answer other than 200, as the API words it. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: Record<string, string> | undefined;

  constructor(status: number, message: string, errors?: Record<string, string>) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** A parameter the call cannot work with. */
export const badParameter = (errors: Record<string, string>): ApiError =>
  new ApiError(400, "Parameter verification failed.\n", errors);

/** Any refusal with a business reason, "not found" included: the API has no 404 and no 409. */
export const refusal = (message: string): ApiError => new ApiError(500, `${message}\n`);

export const forbidden = (path: string, privs: readonly string[]): ApiError =>
  new ApiError(403, `Permission check failed (${path}, ${privs.join("|")})\n`);

/**
 * A thrown value inside other words, as in a task's exit status: codes other than 500 stand before the text, what was
 * wrong with parameters behind it, and all of it on one line.
 */
export function taskError(thrown: unknown): string {
  if (thrown instanceof ApiError) {
    const { status, message, errors = {} } = thrown;
    const lines = Object.entries(errors).map(([name, problem]) => `${name}: ${problem}\n`);
    const text = status === 500 ? message : `${status} ${message}`;
    return [text, ...lines].join("").replace(/\n$/, "").replaceAll("\n", " ");
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What goes wrong while a file of settings is locked is told with what was being done. */
export function under<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusal(`${what}: ${taskError(error)}`);
  }
}
