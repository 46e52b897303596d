/** A bracketed part of a source text: `{…}`, `(…)` or `[…]`, cut at its commas. */
export interface Block {
  open: "{" | "(" | "[";
  /** The word right before it: the function of a call, nothing for most objects. */
  before: string;
  /** Where it begins in the text. */
  start: number;
  parts: string[];
  parent: Block | undefined;
}

const closing = { "{": "}", "(": ")", "[": "]" } as const;

/**
 * Finds the brackets of a TypeScript text without understanding more of it than strings, comments and patterns.
 * A text whose brackets do not match is refused, so that nothing is left out in silence.
 */
export function readBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let current: (Block & { from: number }) | undefined;
  const enclosing: (Block & { from: number })[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const skipped = skipFrom(text, at);
    if (skipped > at) {
      at = skipped - 1;
    } else if (char === "{" || char === "(" || char === "[") {
      const before = /[\w$]*$/.exec(text.slice(Math.max(0, at - 60), at))?.[0] ?? "";
      if (current) enclosing.push(current);
      current = { open: char, before, start: at, parts: [], parent: current, from: at + 1 };
      blocks.push(current);
    } else if (char === "," && current) {
      current.parts.push(text.slice(current.from, at).trim());
      current.from = at + 1;
    } else if (char === "}" || char === ")" || char === "]") {
      if (current === undefined || closing[current.open] !== char)
        throw new Error(`the bracket at ${at} closes nothing: ${text.slice(Math.max(0, at - 60), at + 1)}`);
      const last = text.slice(current.from, at).trim();
      if (last !== "") current.parts.push(last);
      current = enclosing.pop();
    }
  }
  if (current) throw new Error(`the bracket at ${current.start} is never closed`);
  return blocks;
}

/** The end of the string, template, comment or pattern that begins here; the same place when none does. */
export function skipFrom(text: string, at: number): number {
  const char = text.charAt(at);
  const pair = text.slice(at, at + 2);
  if (char === '"' || char === "'") return endOf(text, at, char);
  if (char === "`") return endOfTemplate(text, at);
  if (pair === "//") return orEnd(text, text.indexOf("\n", at));
  if (pair === "/*") return orEnd(text, text.indexOf("*/", at) + 2);
  if (char === "/" && isPattern(text, at)) return endOfPattern(text, at);
  return at;
}

const orEnd = (text: string, found: number): number => (found < 2 ? text.length : found);

function endOf(text: string, at: number, mark: string): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text.charAt(end) === "\\") end++;
    else if (text.charAt(end) === mark) return end + 1;
  }
  return text.length;
}

function endOfTemplate(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text.charAt(end) === "\\") end++;
    else if (text.charAt(end) === "`") return end + 1;
    else if (text.startsWith("${", end)) end = endOfHole(text, end + 2) - 1;
  }
  return text.length;
}

/** Past the `}` that ends a `${…}` whose inside begins here. */
export function endOfHole(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const skipped = skipFrom(text, at);
    if (skipped > at) at = skipped - 1;
    else if (text.charAt(at) === "{") depth++;
    else if (text.charAt(at) === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

/** A slash divides after a value and begins a pattern everywhere else. */
function isPattern(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 20), at).trimEnd();
  return !/[\w$)\]}"'`]$/.test(before) || /\b(return|typeof|case)$/.test(before);
}

function endOfPattern(text: string, at: number): number {
  let isClass = false;
  for (let end = at + 1; end < text.length; end++) {
    const char = text.charAt(end);
    if (char === "\\") end++;
    else if (char === "[") isClass = true;
    else if (char === "]") isClass = false;
    else if (char === "/" && !isClass) return end + 1;
  }
  return text.length;
}
