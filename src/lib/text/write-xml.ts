/** A piece of XML before it is written. Names may carry a prefix; whoever uses one declares it: `xmlns:x`. */
export interface XmlPiece {
  name: string;
  attributes: Record<string, string>;
  children: XmlPiece[];
  text?: string;
}

type Scalar = string | number;

/** Attributes that are undefined and children that are absent are left out, so that choices stand where they belong. */
export function element(
  name: string,
  attributes: Readonly<Record<string, Scalar | undefined>> = {},
  content: Scalar | readonly (XmlPiece | undefined | false)[] = [],
): XmlPiece {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  );
  const piece = { name, attributes: Object.fromEntries(given) };
  return typeof content === "object"
    ? { ...piece, children: content.filter((child) => child !== undefined && child !== false) }
    : { ...piece, children: [], text: String(content) };
}

/** The same piece is always the same text: attributes and children in their order, two spaces a level. */
export const writeXml = (piece: XmlPiece, quote: Quote = '"'): string =>
  `${linesOf(piece, "", quote).join("\n")}\n`;

/** What stands around values. */
type Quote = '"' | "'";

function linesOf({ name, attributes, children, text }: XmlPiece, indent: string, quote: Quote): string[] {
  const written = Object.entries(attributes).map((each) => attributeText(each, quote));
  const start = [checked(name, nameShape), ...written].join(" ");
  if (text !== undefined && text !== "") return [`${indent}<${start}>${escapeText(text)}</${name}>`];
  if (children.length === 0) return [`${indent}<${start}/>`];
  const inner = children.flatMap((child) => linesOf(child, `${indent}  `, quote));
  return [`${indent}<${start}>`, ...inner, `${indent}</${name}>`];
}

const attributeText = ([name, value]: [string, string], quote: Quote): string =>
  `${checked(name, nameShape)}=${quote}${escapeAttribute(value, quote)}${quote}`;

const nameShape = /^[A-Za-z_][\w.-]*(:[A-Za-z_][\w.-]*)?$/;
// Everything else cannot stand in XML at all, not even escaped.
// oxlint-disable-next-line no-control-regex
const textShape = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

function checked(text: string, shape: RegExp): string {
  if (!shape.test(text)) throw new TypeError(`XML cannot hold ${JSON.stringify(text)}`);
  return text;
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
const entity = (char: string): string => entities[char] ?? `&#${char.charCodeAt(0)};`;

const escapeText = (text: string): string => checked(text, textShape).replace(/[&<>\r]/g, entity);
// Readers turn a bare line break or tab in an attribute into a space.
const escapeAttribute = (text: string, quote: Quote): string =>
  checked(text, textShape).replace(quote === '"' ? /[&<>"\t\n\r]/g : /[&<>'\t\n\r]/g, entity);
