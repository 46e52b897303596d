/** An element that was read: its name without prefix, the namespace that the prefix stood for, and what it holds. */
export interface XmlElement {
  name: string;
  /** Empty: none. */
  namespace: string;
  /** As it was written. Absent: it had none. */
  prefix?: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly XmlElement[];
  /** All text directly in it, joined. Between child elements it is only space. */
  text: string;
}

/** What each prefix stands for. */
type Scope = ReadonlyMap<string, string>;

const deepest = 100;
const namePattern =
  /[A-Za-z_\u0080-\uffff][\w.\-\u0080-\uffff]*(?::[A-Za-z_\u0080-\uffff][\w.\-\u0080-\uffff]*)?/y;
const spacePattern = /[ \t\r\n]*/y;
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

/**
 * Reads one document, strictly. Document types are refused: nothing that we read has one, and with them
 * come entities that grow and files that are fetched.
 */
export function readXml(text: string): XmlElement {
  const reader = new Reader(text.startsWith("\ufeff") ? text.slice(1) : text);
  reader.skipMisc();
  const root = reader.element(new Map([["xml", xmlNamespace]]), 0);
  reader.skipMisc();
  reader.end();
  return root;
}

class Reader {
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  element(outer: Scope, depth: number): XmlElement {
    if (depth > deepest) this.fail("is nested too deeply");
    this.demand("<");
    const tag = this.name();
    const written = this.attributes();
    const scope = new Map([...outer, ...declared(written)]);
    const attributes = Object.fromEntries(
      [...written].filter(([name]) => name !== "xmlns" && !name.startsWith("xmlns:")),
    );
    const { prefix, local } = this.split(tag);
    const namespace =
      scope.get(prefix) ?? (prefix === "" ? "" : this.fail(`does not declare prefix "${prefix}"`));
    const start = { name: local, namespace, ...(prefix !== "" && { prefix }), attributes };
    if (this.take("/>")) return { ...start, children: [], text: "" };
    this.demand(">");
    const inner = this.content(scope, depth);
    if (this.name() !== tag) this.fail(`does not close <${tag}>`);
    this.space();
    this.demand(">");
    return { ...start, ...inner };
  }

  /** Up to and with the `</` of the element it stands in. */
  private content(scope: Scope, depth: number): Pick<XmlElement, "children" | "text"> {
    const children: XmlElement[] = [];
    let text = "";
    for (;;) {
      const next = this.source.indexOf("<", this.at);
      if (next === -1) this.fail("ends in the middle");
      text += this.decode(this.source.slice(this.at, next));
      this.at = next;
      if (this.take("</")) return { children, text };
      if (this.take("<![CDATA[")) text += lineEnds(this.upTo("]]>"));
      else if (!this.skipAside()) children.push(this.element(scope, depth + 1));
    }
  }

  private attributes(): Map<string, string> {
    const found = new Map<string, string>();
    for (;;) {
      const hasSpace = this.space();
      if (["/", ">", undefined].includes(this.source[this.at])) return found;
      if (!hasSpace) this.fail("has no space before an attribute");
      const name = this.name();
      if (found.has(name)) this.fail(`says ${name} twice`);
      this.space();
      this.demand("=");
      this.space();
      const quote = this.take('"') ? '"' : this.take("'") ? "'" : this.fail("has a value without quotes");
      const raw = this.upTo(quote);
      if (raw.includes("<")) this.fail(`has a "<" in the value of ${name}`);
      found.set(name, this.decode(lineEnds(raw).replace(/[\t\n]/g, " ")));
    }
  }

  /** Space, comments and instructions around the root. */
  skipMisc(): void {
    do this.space();
    while (this.skipAside());
  }

  end(): void {
    if (this.at < this.source.length) this.fail("goes on after its end");
  }

  private skipAside(): boolean {
    const end = this.take("<!--") ? "-->" : this.take("<?") ? "?>" : undefined;
    if (end === undefined) return false;
    this.upTo(end);
    return true;
  }

  private decode(raw: string): string {
    return lineEnds(raw).replace(/&([^;&\s]{0,12})(;?)/g, (_, word: string, end: string) => {
      const char = end === "" ? undefined : (named.get(word) ?? numbered(word));
      return char ?? this.fail(`has an unknown entity "&${word}${end}"`);
    });
  }

  private split(tag: string): { prefix: string; local: string } {
    const colon = tag.indexOf(":");
    return { prefix: tag.slice(0, Math.max(colon, 0)), local: tag.slice(colon + 1) };
  }

  private name(): string {
    return this.match(namePattern) ?? this.fail("has no name where one must stand");
  }

  private space(): boolean {
    return this.match(spacePattern) !== "";
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private upTo(mark: string): string {
    const end = this.source.indexOf(mark, this.at);
    if (end === -1) this.fail(`lacks a ${mark}`);
    const text = this.source.slice(this.at, end);
    this.at = end + mark.length;
    return text;
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private demand(text: string): void {
    if (!this.take(text)) this.fail(`lacks a ${text}`);
  }

  private fail(problem: string): never {
    throw new SyntaxError(`XML ${problem}, in line ${this.source.slice(0, this.at).split("\n").length}`);
  }
}

const declared = (written: Map<string, string>): [prefix: string, uri: string][] =>
  [...written].flatMap(([name, uri]): [string, string][] =>
    name === "xmlns" ? [["", uri]] : name.startsWith("xmlns:") ? [[name.slice(6), uri]] : [],
  );

const lineEnds = (text: string): string => text.replace(/\r\n?/g, "\n");

const named = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

function numbered(word: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(word) ?? [];
  const code = hex === undefined ? Number(decimal ?? 0) : Number.parseInt(hex, 16);
  const isChar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isChar ? String.fromCodePoint(code) : undefined;
}

/** The elements at the end of a way down: `allAt(domain, "devices", "disk")`. Those of other namespaces are not ours to read. */
export const allAt = (from: XmlElement | undefined, ...way: string[]): XmlElement[] =>
  way.reduce<XmlElement[]>(
    (found, name) =>
      found.flatMap(({ namespace, children }) =>
        children.filter((child) => child.name === name && child.namespace === namespace),
      ),
    from === undefined ? [] : [from],
  );

export const firstAt = (from: XmlElement | undefined, ...way: string[]): XmlElement | undefined =>
  allAt(from, ...way)[0];

/** Text at the end of a way, without the space around it; undefined when there is none. */
export const textAt = (from: XmlElement | undefined, ...way: string[]): string | undefined =>
  firstAt(from, ...way)?.text.trim() || undefined;
