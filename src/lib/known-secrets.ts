import { hideTexts, type HideTexts } from "./hide-texts.ts";

const known = new Set<string>();
/** Shorter ones would hide half of every text, and nobody finds them in a log anyway. */
const shortest = 8;
const hidden = "(secret)";
/** Made anew when a secret has come. */
let hideKnown: HideTexts | undefined;

/**
 * Remembers a secret of this process in every form it may be told in. There is one memory for all: whoever writes a
 * text does not know whose secrets went into it.
 */
export function learnSecret(secret: string): void {
  const text = secret.trim();
  if (text.length < shortest || known.has(text)) return;
  const inside = Buffer.from(text, "base64").toString("latin1");
  const lines = [...linesOf(text), ...(inside.includes("PRIVATE KEY") ? linesOf(inside) : [])];
  for (const each of [text, ...lines]) for (const form of formsOf(each)) known.add(form);
  hideKnown = undefined;
}

/** A key in PEM often stands in base64, and its lines are found in what quotes it. */
const linesOf = (text: string): string[] =>
  text.split("\n").filter((line) => line.length >= 40 && !line.startsWith("-----"));

/** As it is, as addresses, JSON and dumps write it, and in base64 wherever it stands in what is encoded. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const url = encodeURIComponent(text);
  const base64 = [bytes.toString("base64"), ...[0, 1, 2].map((offset) => insideBase64(bytes, offset))];
  return [
    text,
    url,
    url.replaceAll("%20", "+"),
    bytes.toString("hex").replaceAll(/../g, "%$&"),
    bytes.toString("hex"),
    JSON.stringify(text).slice(1, -1),
    ...base64,
    ...base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")),
  ].filter((form) => form.length >= shortest);
}

/** The letters that depend on nothing but these bytes, when others stand before and after them. */
function insideBase64(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

export const knownSecrets = (): readonly string[] => [...known];

/** The same data with every secret this process knows taken out of its texts. */
export function withoutSecrets<T>(value: T): T {
  if (known.size === 0) return value;
  hideKnown ??= hideTexts(known);
  return hide(value, hideKnown) as T;
}

function hide(value: unknown, hideIn: HideTexts): unknown {
  if (typeof value === "string") return hideIn(value, hidden);
  if (Array.isArray(value)) return value.map((part: unknown) => hide(part, hideIn));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hide(part, hideIn)]));
}
