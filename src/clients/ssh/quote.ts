/** A command as one line that any POSIX shell takes apart into exactly these arguments again. */
export const quoteCommand = (args: readonly string[]): string => args.map(quoteArgument).join(" ");

/** In single quotes a shell leaves everything alone but the single quote itself. */
export const quoteArgument = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
