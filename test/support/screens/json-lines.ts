/** What a command with --json told, line by line; the last one is always `done`. */
export const jsonLines = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The first of them: what was asked for. */
export const firstLine = (stdout: string): unknown => jsonLines(stdout)[0];
