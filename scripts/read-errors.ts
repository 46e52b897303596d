import { readBlocks, skipFrom, type Block } from "./source-blocks.ts";
import { templateText, type LookUp } from "./template-text.ts";

/** One way an error is worded, with `<…>` where values stand. */
export interface Wording {
  code: string;
  what: string | undefined;
  why: string | undefined;
  next: string | undefined;
  else: string | undefined;
}

export const codePattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const codeInText = /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g;

/** Every error that a source text makes: objects with a code of ours, and mistakes told with `refuse(code, what, next)`. */
export function readErrors(source: string): Wording[] {
  const blocks = readBlocks(source);
  const base = blocks.find((block) => isBase(propertiesOf(block)));
  return blocks.flatMap((block) => {
    const own = block.open === "(" && block.before === "refuse" ? refusalOf(block) : propertiesOf(block);
    const code = own.get("code") === "code" ? defaultCode(source) : own.get("code");
    if (!isOwnCode(code) || !["what", "why", "next", "isNot"].some((name) => own.has(name))) return [];
    const isWhole = own.has("what") || own.has("isNot");
    const text = (name: string): string | undefined => {
      const nearest = own.get(name) ?? whyBeside(block).get(name);
      if (nearest !== undefined) return followed(name, nearest, lookUpIn(source, block.start), source);
      const shared = isWhole || !base ? undefined : propertiesOf(base).get(name);
      return shared && base && followed(name, shared, lookUpIn(source, base.start), source);
    };
    const isNot = own.has("isNot") ? `<written> is not ${text("isNot")}` : undefined;
    const wording = { what: text("what") ?? isNot, why: text("why"), next: text("next"), else: text("else") };
    return [...(code ?? "").matchAll(codeInText)].map(([, found = ""]) => ({ code: found, ...wording }));
  });
}

const isOwnCode = (written: string | undefined): boolean =>
  written !== undefined && /^(?:[^"]*(?:"\w+")? \? )?"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+"/.test(written);

/** The rest of an error whose code and next come from a table in the same file. */
const isBase = (found: Map<string, string>): boolean =>
  found.has("what") &&
  !found.get("code")?.startsWith('"') &&
  ((found.has("...") && found.has("why")) || (found.has("code") && found.has("next")));

/** `refuse(code, …)` in a function that has `code = "…"` among its parameters. */
const defaultCode = (source: string): string | undefined => /\bcode = ("[A-Z_0-9]+")/.exec(source)?.[1];

/** The text of a part; `what` alone may stand as a property of facts that are handed on. */
function followed(name: string, written: string, lookUp: LookUp, source: string): string | undefined {
  const text = templateText(written, lookUp);
  if (text !== `<${name}>`) return text;
  if (name === "why") return "<what was found>";
  const [handedOn] = name === "what" ? source.matchAll(/\bwhat: (?=`)/g) : [];
  return handedOn && templateText(expressionFrom(source, handedOn.index + handedOn[0].length));
}

/** The properties of an object as written; a spread stands as `...`. */
function propertiesOf(block: Block): Map<string, string> {
  const found = new Map<string, string>();
  if (block.open !== "{") return found;
  for (const part of block.parts.map(withoutComments)) {
    const [, name = "", value] = /^(\w+)(?::\s*(.*))?$/s.exec(part) ?? [];
    if (part.startsWith("...")) found.set("...", part.slice(3));
    else if (name !== "") found.set(name, value ?? name);
  }
  return found;
}

/** `refuse(code, what, next)` as an object with these names. */
function refusalOf({ parts: [code = "", what = "", next = ""] }: Block): Map<string, string> {
  return new Map(Object.entries({ code, what, next }));
}

/** A table's row may say why beside the function that gives code and next. */
function whyBeside(block: Block): Map<string, string> {
  let row = block.parent;
  while (row && !propertiesOf(row).has("fits")) row = row.parent;
  const why = row && propertiesOf(row).get("why");
  return new Map(why === undefined ? [] : [["why", why.replace(/^\(.*?\) =>\s*/s, "")]]);
}

/** What `const name = …` or `const name = (…) => …` says: in the same function, or else at the top of the file. */
function lookUpIn(source: string, place: number): LookUp {
  const begin = source
    .slice(0, place)
    .search(
      /\n(?:export )?(?:async )?(?:function|const) (?![^]*\n(?:export )?(?:async )?(?:function|const) )/,
    );
  return (name) => {
    const pattern = new RegExp(
      `(^|\\n)( *)(?:export )?const ${name} =\\s*(?:\\([^)]*\\)(?:: \\w+)? =>)?\\s*`,
      "g",
    );
    const found = [...source.matchAll(pattern)];
    const near = found.findLast((match) => match.index > begin && match.index < place);
    const meant = near ?? found.find(([, , indent]) => indent === "");
    return meant && expressionFrom(source, meant.index + meant[0].length);
  };
}

/** The expression that begins here, up to its semicolon or comma. */
function expressionFrom(source: string, from: number): string {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const skipped = skipFrom(source, at);
    if (skipped > at) at = skipped - 1;
    else if (/[{([]/.test(source.charAt(at))) depth++;
    else if (/[})\]]/.test(source.charAt(at)) && --depth < 0) return source.slice(from, at);
    else if (depth === 0 && /[;,]/.test(source.charAt(at))) return source.slice(from, at);
  }
  return source.slice(from);
}

const withoutComments = (part: string): string => part.replace(/^(\s*(\/\/[^\n]*\n|\/\*[^]*?\*\/))*\s*/, "");
