import { hideTexts, type HideTexts } from "./hide-texts.ts";

/** Shorter ones would hide half of every text, and could not be found in a log anyway. */
const shortest = 8;
const hidden = "(secret)";

/** The secrets of one world, which no text it tells may hold. There is one for all that writes: a text may hold any of them. */
export class Redaction {
  readonly #known = new Map<string, KnownSecret>();
  readonly #heldBy = new WeakMap<object, Set<string>>();
  readonly #gone = new FinalizationRegistry<string>((text) => this.#release(text));
  /** Compiled again when a secret has come or gone. */
  #hideTexts: HideTexts | undefined;

  /**
   * Remembers a secret in every form it may be told in: for ever, or for as long as somebody has its only `holder`. Keys are made anew
   * for every plan, and a process that plans for months would remember millions of them.
   */
  register(secret: string, holder?: object): void {
    const text = secret.trim();
    if (text.length < shortest) return;
    const known = this.#known.get(text) ?? { forms: allFormsOf(text), holders: 0 };
    if (!this.#known.has(text)) this.#hideTexts = undefined;
    this.#known.set(text, known);
    if (!holder) known.holders = Infinity;
    else if (!this.#isHeld(holder, text)) {
      known.holders += 1;
      this.#gone.register(holder, text);
    }
  }

  /** Every form of every registered secret. */
  get secrets(): readonly string[] {
    return [...new Set([...this.#known.values()].flatMap(({ forms }) => forms))];
  }

  /** The same data with every registered secret taken out of its texts. */
  redact<T>(value: T): T {
    if (this.#known.size === 0) return value;
    this.#hideTexts ??= hideTexts(this.secrets);
    return hide(value, this.#hideTexts) as T;
  }

  /** Whether it was known as this holder's; it is from now on. */
  #isHeld(holder: object, text: string): boolean {
    const texts = this.#heldBy.get(holder) ?? new Set();
    const isHeld = texts.has(text);
    this.#heldBy.set(holder, texts.add(text));
    return isHeld;
  }

  #release(text: string): void {
    const known = this.#known.get(text);
    if (!known) return;
    known.holders -= 1;
    if (known.holders > 0) return;
    this.#known.delete(text);
    this.#hideTexts = undefined;
  }
}

interface KnownSecret {
  forms: readonly string[];
  /** How many there are; of one that is remembered for ever there is no end. */
  holders: number;
}

function allFormsOf(text: string): string[] {
  const inside = Buffer.from(text, "base64").toString("latin1");
  const lines = [...linesOf(text), ...(inside.includes("PRIVATE KEY") ? linesOf(inside) : [])];
  return [...new Set([text, ...lines].flatMap(formsOf))];
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

/** What holds nothing to be hidden is given back as it is: most of what is told is so, and it may be large. */
function hide(value: unknown, hideIn: HideTexts): unknown {
  if (typeof value === "string") return hideIn(value, hidden);
  if (Array.isArray(value)) return hideInList(value, hideIn);
  return typeof value === "object" && value !== null ? hideInFields(value, hideIn) : value;
}

function hideInList(list: readonly unknown[], hideIn: HideTexts): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, part] of list.entries()) {
    const shown = hide(part, hideIn);
    if (shown !== part) (changed ??= [...list])[index] = shown;
  }
  return changed ?? list;
}

function hideInFields(value: object, hideIn: HideTexts): object {
  const changed = new Map<string, unknown>();
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const shown = hide(fields[key], hideIn);
    if (shown !== fields[key]) changed.set(key, shown);
  }
  // Others than plain ones may write themselves in another way, with all that they hold.
  if (changed.size === 0 && Object.getPrototypeOf(value) === Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([key, part]) => [key, changed.has(key) ? changed.get(key) : part]),
  );
}
