import { messageIn } from "./journal-line.ts";

/** What a message has to look like to mean something. Named parts of the pattern are what it tells. */
export interface JournalRule<Code extends string> {
  fits: RegExp;
  /** It says it about somebody else. */
  unless?: RegExp;
  code: Code;
  /** It goes on nevertheless, only slower. */
  isWarning?: true | undefined;
  /** The service tries again by itself, and may well succeed. */
  isPassing?: true | undefined;
  /** Stands in other lines of the same start, one for each. */
  gathers?: RegExp;
}

/** Why a service does not come up, as far as its journal tells. */
export interface JournalReason<Code extends string> {
  code: Code;
  /** What the journal says, without time and level. */
  line: string;
  /** It goes on nevertheless, only slower. */
  isWarning?: true | undefined;
  /** The service tries again by itself, and may well succeed: no reason to give up yet. */
  isPassing?: true | undefined;
  /** What it names: keys, addresses, hashes, ports, names. */
  details: Record<string, string | undefined>;
}

/** How the journal of one service is read. */
export interface JournalReading<Code extends string> {
  /** The first that fits a message counts: one line often wraps the reason of another, so the particular come first. */
  rules: readonly JournalRule<Code>[];
  /** The service says that it works. What stands before is history. */
  isUp: RegExp;
  /** The service begins. */
  isStart: RegExp;
  /** Once a message fits, what was told of these codes before is over. */
  settles?: { fits: RegExp; codes: ReadonlySet<Code> };
  /** A gathered value in the words of people. */
  nameOf?(value: string): string;
}

/** Reads why a service does not come up. */
export type ReadReason<Code extends string> = (lines: readonly string[]) => JournalReason<Code> | undefined;

/**
 * The gravest thing the last start says, or the one before where the last has only begun; undefined when nothing of it is
 * known to be wrong.
 */
export const journalReasons =
  <Code extends string>(reading: JournalReading<Code>): ReadReason<Code> =>
  (lines) => {
    const messages = lines.map(messageIn);
    const current = messages.slice(messages.findLastIndex((message) => reading.isUp.test(message)) + 1);
    const starts = startsIn(reading.isStart, current).slice(-2).toReversed();
    const reasons = starts.flatMap((start) => reasonsIn(reading, start).toReversed());
    return (
      reasons.find(({ isWarning, isPassing }) => !isWarning && !isPassing) ??
      reasons.find(({ isPassing }) => isPassing) ??
      reasons[0]
    );
  };

function startsIn(isStart: RegExp, messages: string[]): string[][] {
  const starts: string[][] = [[]];
  for (const message of messages) {
    if (isStart.test(message)) starts.push([]);
    starts.at(-1)?.push(message);
  }
  return starts.filter((start) => start.length > 0);
}

function reasonsIn<Code extends string>(
  reading: JournalReading<Code>,
  messages: string[],
): JournalReason<Code>[] {
  const { rules, settles } = reading;
  const settled = messages.findLastIndex((message) => settles?.fits.test(message));
  return messages.flatMap((message, index) => {
    const rule = rules.find(({ fits, unless }) => fits.test(message) && !unless?.test(message));
    if (!rule || (index < settled && settles?.codes.has(rule.code))) return [];
    return [reasonOf(reading, rule, message, messages)];
  });
}

const longestLine = 400;

function reasonOf<Code extends string>(
  { nameOf }: JournalReading<Code>,
  rule: JournalRule<Code>,
  message: string,
  messages: string[],
): JournalReason<Code> {
  const details: Record<string, string> = {};
  const keep = (groups: Record<string, string | undefined> | undefined): void => {
    for (const [name, value] of Object.entries(groups ?? {})) if (value !== undefined) details[name] = value;
  };
  keep(rule.fits.exec(message)?.groups);
  if (rule.gathers) keep(gathered(rule.gathers, messages, nameOf));
  return {
    code: rule.code,
    line: message.split("\n")[0]?.slice(0, longestLine) ?? "",
    isWarning: rule.isWarning,
    isPassing: rule.isPassing,
    details,
  };
}

/** Each thing once, in the order told. */
function gathered(
  pattern: RegExp,
  messages: string[],
  nameOf: (value: string) => string = (value) => value,
): Record<string, string> {
  const found = new Map<string, Set<string>>();
  for (const message of messages)
    for (const [name, value] of Object.entries(pattern.exec(message)?.groups ?? {}))
      found.set(name, (found.get(name) ?? new Set()).add(nameOf(value)));
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values].join(", ")]));
}
