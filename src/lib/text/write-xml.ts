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
export const writeXml = (piece: XmlPiece): string => `${linesOf(piece, "").join("\n")}\n`;

function linesOf({ name, attributes, children, text }: XmlPiece, indent: string): string[] {
  const start = [checked(name, nameShape), ...Object.entries(attributes).map(attributeText)].join(" ");
  if (text !== undefined && text !== "") return [`${indent}<${start}>${escapeText(text)}</${name}>`];
  if (children.length === 0) return [`${indent}<${start}/>`];
  const inner = children.flatMap((child) => linesOf(child, `${indent}  `));
  return [`${indent}<${start}>`, ...inner, `${indent}</${name}>`];
}

const attributeText = ([name, value]: [string, string]): string =>
  `${checked(name, nameShape)}="${escapeAttribute(value)}"`;

const nameShape = /^[A-Za-z_][\w.-]*(:[A-Za-z_][\w.-]*)?$/;
// Everything else cannot stand in XML at all, not even escaped.
// oxlint-disable-next-line no-control-regex
const textShape = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

function checked(text: string, shape: RegExp): string {
  if (!shape.test(text)) throw new TypeError(`XML cannot hold ${JSON.stringify(text)}`);
  return text;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const entity = (char: string): string => entities[char] ?? `&#${char.charCodeAt(0)};`;

const escapeText = (text: string): string => checked(text, textShape).replace(/[&<>\r]/g, entity);
// Readers turn a bare line break or tab in an attribute into a space.
const escapeAttribute = (text: string): string => checked(text, textShape).replace(/[&<>"\t\n\r]/g, entity);
