/**
 * Control characters, and those that turn text around, hide it or take no room. A terminal would obey them: what a server or
 * a file says could then look like something else.
 */
const invisible =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** The text with such characters spelled out as JSON would spell them: lines and tabs stay, and JSON stays the same data. */
export const visibleText = (text: string): string => text.replaceAll(invisible, spelled);

/** The first such character, or the end of a line, as Unicode names it; undefined in a plain line. */
export function firstInvisible(text: string): string | undefined {
  const at = text.search(invisibleOrEnd);
  return at < 0 ? undefined : `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

const invisibleOrEnd = new RegExp(`[\\n\\t]|${invisible.source}`);

const spelled = (found: string): string =>
  Array.from({ length: found.length }, (_, index) => found.charCodeAt(index))
    .map((code) => `\\u${code.toString(16).padStart(4, "0")}`)
    .join("");
