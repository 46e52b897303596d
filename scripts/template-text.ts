import { endOfHole, skipFrom } from "./source-blocks.ts";

/** Looks up what a name stands for in the file it is used in: the expression, as written. */
export type LookUp = (name: string) => string | undefined;

/**
 * The text an expression makes, as a template: `${f.storage}` becomes `<storage>`, a choice of texts `<one | other>`,
 * and a text that is there only sometimes stands in square brackets. Nothing is evaluated.
 */
export function templateText(expression: string, lookUp: LookUp = () => undefined): string {
  const texts = alternatives(expression, lookUp, 0);
  return texts === undefined ? placeholder(expression) : choice(texts);
}

/** Every text the expression can be; nothing when it is no text to read here. */
function alternatives(expression: string, lookUp: LookUp, depth: number): string[] | undefined {
  const source = withoutParens(expression.trim());
  if (depth > 6) return undefined;
  const conditional = splitTop(source, "?", ":");
  if (conditional) {
    const [yes, no] = conditional.slice(1).map((each) => alternatives(each, lookUp, depth + 1));
    return yes || no
      ? [...(yes ?? [placeholder(conditional[1])]), ...(no ?? [placeholder(conditional[2])])]
      : undefined;
  }
  const either = splitEither(source);
  if (either) {
    const [first, second] = either.map((each) => alternatives(each, lookUp, depth + 1));
    return first || second
      ? [...(first ?? [placeholder(either[0])]), ...(second ?? [placeholder(either[1])])]
      : undefined;
  }
  if (/^["']/.test(source) && skipFrom(source, 0) === source.length) return [unescape(source.slice(1, -1))];
  if (source.startsWith("`") && skipFrom(source, 0) === source.length)
    return [fill(source.slice(1, -1), lookUp, depth)];
  // A helper's own words help only where they do not depend on what it is given.
  const name = /^(\w+)(\((f|facts|tried|refused|cause|f\.cause)?\))?$/.exec(source)?.[1];
  const meant = name === undefined ? undefined : lookUp(name);
  return meant === undefined ? undefined : alternatives(meant, lookUp, depth + 1);
}

function fill(template: string, lookUp: LookUp, depth: number): string {
  let text = "";
  let from = 0;
  for (let at = template.indexOf("${"); at >= 0; at = template.indexOf("${", from)) {
    const end = endOfHole(template, at + 2);
    const hole = template.slice(at + 2, end - 1);
    const texts = alternatives(hole, lookUp, depth + 1);
    text += unescape(template.slice(from, at)) + (texts ? choice(texts) : placeholder(hole));
    from = end;
  }
  return text + unescape(template.slice(from));
}

function choice(texts: string[]): string {
  const told = [...new Set(texts.filter((text) => text !== ""))];
  const [only = "", ...others] = told.length > 1 ? told.filter((text) => text !== "<why>") : told;
  // One pair of brackets says enough: `<known | none>`.
  const bare = (text: string): string => text.replace(/^<([^<>|]*)>$/, "$1");
  if (others.length > 0) return `<${[only, ...others].map(bare).join(" | ")}>`;
  return texts.includes("") && only !== "" ? `[${only}]` : only;
}

/** Words around a value that say nothing about it. */
const carriers = /^(f|facts|failure|tried|refused|r|wait|cluster|Math|String|Number)$/;

/** `<storage>` for `f.storage`, `<host name>` for `f.host.name`, `<needed GiB - free GiB>` for a difference. */
function placeholder(expression: string): string {
  const about = subject(expression.trim());
  const [, left = "", right = ""] = /^([\w.]+) - ([\w.]+)$/.exec(about) ?? [];
  return left === "" ? `<${inWords(about)}>` : `<${inWords(left)} - ${inWords(right)}>`;
}

/** What a call is about: the value whose method it is, or its argument if that has a name worth telling. */
function subject(expression: string): string {
  const call = /^([\w.[\]?]+)\(/.exec(expression);
  const [, name = ""] = call ?? [];
  if (name === "" || !call) return expression;
  const owner = name.split(".")[0] ?? "";
  if (name.includes(".") && !/^(Math|Object)$/.test(owner)) return name.slice(0, name.lastIndexOf("."));
  const [argument = ""] = expression.slice(call[0].length, -1).split(",");
  const isTelling = /[a-z]{2,}/.test(argument) && !/^(f\.)?(cause|tried|refused)$/.test(argument);
  return isTelling && !name.startsWith("advise") ? subject(argument.trim()) : name;
}

function inWords(expression: string): string {
  if (/^\d+$/.test(expression)) return expression;
  const chain = /[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*/.exec(expression)?.[0] ?? "value";
  const parts = chain.split(/\??\./).filter((part, index) => index === 0 || part !== "length");
  const own = parts.filter((part, index) => index > 0 || parts.length === 1 || !carriers.test(part));
  const isVague = /^(name|id|url|what|kind)$/.test(own.at(-1) ?? "");
  return own
    .slice(isVague ? -2 : -1)
    .flatMap((part) => part.replace(/^advise/, "advice ").split(/ |(?<=[a-z])(?=[A-Z])(?!B\b)/))
    .map((word) => (/^[KMGT]iB$/.test(word) ? word : word.toLowerCase()))
    .filter((word) => word !== "")
    .join(" ");
}

function withoutParens(source: string): string {
  return source.startsWith("(") && source.endsWith(")") && !splitTop(source.slice(1, -1), ")", "(")
    ? source.slice(1, -1).trim()
    : source;
}

/** Where a mark stands outside of every string and bracket. */
function findTop(source: string, mark: string, from = 0): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const skipped = skipFrom(source, at);
    if (skipped > at) at = skipped - 1;
    else if (depth === 0 && source.startsWith(mark, at) && isMark(source, at, mark)) return at;
    else if (/[{([]/.test(source.charAt(at))) depth++;
    else if (/[})\]]/.test(source.charAt(at))) depth--;
  }
  return -1;
}

/** `?` is neither `?.` nor half of `??`. */
const isMark = (source: string, at: number, mark: string): boolean =>
  mark !== "?" || (!/[?.]/.test(source.charAt(at + 1)) && source.charAt(at - 1) !== "?");

function splitTop(source: string, first: string, second: string): [string, string, string] | undefined {
  const one = findTop(source, first);
  if (one < 0) return undefined;
  // A condition inside the first choice has a colon of its own.
  let two = findTop(source, second, one + 1);
  const nested = findTop(source, first, one + 1);
  if (nested >= 0 && nested < two) two = findTop(source, second, two + 1);
  return two < 0 ? undefined : [source.slice(0, one), source.slice(one + 1, two), source.slice(two + 1)];
}

function splitEither(source: string): [string, string] | undefined {
  for (const mark of ["??", "||"]) {
    const at = findTop(source, mark);
    if (at >= 0) return [source.slice(0, at), source.slice(at + 2)];
  }
  return undefined;
}

const unescape = (text: string): string =>
  text.replaceAll(/\\(.)/gs, (_, char: string) => (char === "n" ? "\n" : char));
