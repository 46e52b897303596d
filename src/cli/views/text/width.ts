import stringWidth from "string-width";

// oxlint-disable-next-line no-control-regex -- colours take no room
const colors = /\x1b\[[\d;]*m/g;
/** ASCII and the glyphs of our own screens: one cell each. Almost all text is made of these. */
const plain = /^[\x20-\x7e✓▸◌◦✗━─→…±−↻│·]*$/;

/** Cells a text takes; only what comes from outside needs the tables of Unicode. */
export function widthOf(text: string): number {
  const bare = text.includes("\x1b") ? text.replace(colors, "") : text;
  return plain.test(bare) ? bare.length : stringWidth(bare);
}

export const padEnd = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string =>
  " ".repeat(Math.max(0, width - widthOf(text))) + text;

let segmenter: Intl.Segmenter | undefined;
/** Made for the first text that needs it: its tables take longer than most screens. */
const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);

/** The part of a text that fits in `width` cells, and what is left of it. */
export function splitAt(text: string, width: number): [string, string] {
  if (widthOf(text) <= width) return [text, ""];
  if (plain.test(text)) return [text.slice(0, Math.max(0, width)), text.slice(Math.max(0, width))];
  let taken = "";
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const cells = widthOf(segment);
    if (used + cells > width) break;
    taken += segment;
    used += cells;
  }
  return [taken, text.slice(taken.length)];
}

/** A sentence cut at a word's end, with `mark` after it. */
export function cutText(text: string, width: number, mark = "…"): string {
  if (widthOf(text) <= width) return text;
  if (width <= widthOf(mark)) return splitAt(mark, width)[0];
  const [head] = splitAt(text, width - widthOf(mark));
  const space = text.charAt(head.length) === " " ? head.length : head.lastIndexOf(" ");
  const atWord = space > head.length / 2 ? head.slice(0, space).trimEnd() : head.trimEnd();
  return atWord + mark;
}

/** A path or hash cut in its middle. */
export function cutMiddle(text: string, width: number, mark = "…"): string {
  if (widthOf(text) <= width) return text;
  const room = Math.max(0, width - widthOf(mark));
  const [head] = splitAt(text, Math.ceil(room / 2));
  const tail = Math.floor(room / 2);
  return splitAt(head + mark + (tail > 0 ? text.slice(-tail) : ""), width)[0];
}

/** Lines of at most `width` cells, broken at spaces, inside a word only when it is wider than a line. */
export const wrapText = (text: string, width: number): string[] => wrapped(text, width, breakWord);

/** The same, but a word that is wider than a line stays whole on a line of its own: it may be there to be copied. */
export const wrapWhole = (text: string, width: number): string[] => wrapped(text, width, (word) => word);

function wrapped(text: string, width: number, fit: typeof breakWord): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    if (widthOf(paragraph) <= room) {
      lines.push(paragraph.trimEnd());
      continue;
    }
    let line = "";
    for (const word of paragraph.split(/\s+/).filter((part) => part !== "")) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (widthOf(longer) <= room) {
        line = longer;
        continue;
      }
      if (line !== "") lines.push(line);
      line = fit(word, room, lines);
    }
    if (line !== "") lines.push(line);
  }
  return lines;
}

function breakWord(word: string, room: number, lines: string[]): string {
  let rest = word;
  while (widthOf(rest) > room) {
    const [head, tail] = splitAt(rest, room);
    // A single character wider than the room cannot be split further.
    if (head === "") return "";
    lines.push(head);
    rest = tail;
  }
  return rest;
}
