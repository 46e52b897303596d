import {
  element,
  firstAt,
  readXml,
  textAt,
  writeXml,
  type XmlElement,
  type XmlPiece,
} from "../../lib/index.ts";
import { badXml } from "./refusal.ts";

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element as if it had been read. */
export function made(
  name: string,
  attributes: Attributes = {},
  content: string | number | readonly (XmlElement | undefined | false)[] = [],
): XmlElement {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  );
  const base = { name, namespace: "", attributes: Object.fromEntries(given) };
  return typeof content === "object"
    ? { ...base, children: content.filter((child) => child !== undefined && child !== false), text: "" }
    : { ...base, children: [], text: String(content) };
}

/** As libvirt prints it, with single quotes. */
export const printed = (of: XmlElement): string => writeXml(pieceOf(of, ""), "'");

function pieceOf(of: XmlElement, outer: string): XmlPiece {
  const { name, prefix, namespace, attributes, children, text } = of;
  const declared =
    namespace === outer ? {} : { [prefix === undefined ? "xmlns" : `xmlns:${prefix}`]: namespace };
  const content = children.length > 0 ? children.map((child) => pieceOf(child, namespace)) : text.trim();
  return element(prefix === undefined ? name : `${prefix}:${name}`, { ...declared, ...attributes }, content);
}

/** Reads what a client sends, which must be a document of this kind. */
export function demandXml(text: string, root: string): XmlElement {
  let found: XmlElement;
  try {
    found = readXml(text);
  } catch (cause) {
    throw badXml("domain", cause instanceof Error ? cause.message : String(cause));
  }
  if (found.name === root) return found;
  throw badXml("domain", `unexpected root element <${found.name}>, expecting <${root}>`);
}

export const withAttributes = (of: XmlElement, attributes: Attributes): XmlElement => ({
  ...of,
  attributes: Object.fromEntries(
    Object.entries({ ...of.attributes, ...attributes }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)] as const],
    ),
  ),
});

export const withChildren = (of: XmlElement, children: readonly (XmlElement | undefined)[]): XmlElement => ({
  ...of,
  children: children.filter((child) => child !== undefined),
  text: "",
});

/** With this child in the place of its namesake, or else behind the named ones, or at the end. */
export function withChild(of: XmlElement, child: XmlElement, behind: string[] = []): XmlElement {
  const { children } = of;
  const at = children.findIndex(({ name }) => name === child.name);
  if (at >= 0) return withChildren(of, children.with(at, child));
  const last = children.findLastIndex(({ name }) => behind.includes(name));
  const place = last < 0 && behind.length === 0 ? children.length : last + 1;
  return withChildren(of, children.toSpliced(place, 0, child));
}

export const withoutChild = (of: XmlElement, name: string): XmlElement =>
  withChildren(
    of,
    of.children.filter((child) => child.name !== name),
  );

/** With the child changed, if there is one. */
export function changed(of: XmlElement, name: string, change: (child: XmlElement) => XmlElement): XmlElement {
  return withChildren(
    of,
    of.children.map((child) =>
      child.name === name && child.namespace === of.namespace ? change(child) : child,
    ),
  );
}

export const attributeAt = (of: XmlElement | undefined, way: string[], name: string): string | undefined =>
  firstAt(of, ...way)?.attributes[name];

/** Text that has to be there. */
export function demandTextAt(of: XmlElement, ...way: string[]): string {
  const text = textAt(of, ...way);
  if (text === undefined) throw badXml("domain", `missing element '${way.join("/")}'`);
  return text;
}
