/**
 * How wide a text is at most, in pixels. Whoever looks at a picture has fonts of their own, so the widest of the usual
 * ones counts: DejaVu Sans. Widths are thousandths of the font size; characters that stand in no row are as wide as high.
 */
export interface Font {
  size: number;
  isBold?: true;
  isMono?: true;
}

type Widths = [number, string][];

const regular: Widths = [
  [318, " ',.IJijl·"],
  [352, "/:;\\|f"],
  [411, "!()-[]rt"],
  [521, '"*_`s'],
  [557, "?Lcz"],
  [592, "Fkvxy"],
  [615, "PTYaeo"],
  [636, "$0123456789ESbdghnpqu{}"],
  [698, "ABCKRVXZ"],
  [787, "&DGHNOQU"],
  [873, "#+<=>^~w±−→↻✓✗M"],
  [1000, "%@Wm…"],
];
const bold: Widths = [
  [348, " 'ijl"],
  [400, ",.:;/\\|IJ·"],
  [457, "!()-[]f"],
  [523, '"*_`rt'],
  [595, "?csz"],
  [652, "Lvxy"],
  [696, "$0123456789EFTaeko"],
  [734, "CPSYZbdghnpqu{}"],
  [775, "ABKRVX"],
  [850, "#+<=>^~DGHNOQU±−→↻✓✗"],
  [1103, "%&@MWmw…"],
];
const mono = 602;

const tableOf = (widths: Widths): Map<string, number> =>
  new Map(widths.flatMap(([width, chars]) => Array.from(chars, (char) => [char, width] as const)));
const tables = { regular: tableOf(regular), bold: tableOf(bold) };

export function widthOf(text: string, { size, isBold, isMono }: Font): number {
  const table = isBold ? tables.bold : tables.regular;
  const wide = isBold ? 1103 : 1000;
  let sum = 0;
  for (const char of text) {
    const known = table.get(char);
    sum += known === undefined ? wide : isMono ? mono : known;
  }
  return (sum * size) / 1000;
}

/** Lines of whole words that fit; what needs more lines than there may be ends with `…`. */
export function wrap(text: string, width: number, font: Font, mostLines: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").flatMap((each) => broken(each, width, font))) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(longer, font) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  if (lines.length <= mostLines) return lines;
  const kept = lines.slice(0, mostLines);
  return [...kept.slice(0, -1), cut(`${kept.at(-1) ?? ""} …`, width, font)];
}

/** A word that is wider than its line, in pieces. */
function broken(word: string, width: number, font: Font): string[] {
  if (widthOf(word, font) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  for (const char of word) {
    if (piece !== "" && widthOf(piece + char, font) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += char;
  }
  return [...pieces, piece];
}

function cut(text: string, width: number, font: Font): string {
  if (widthOf(text, font) <= width) return text;
  const chars = Array.from(text.replace(/ …$/, ""));
  while (chars.length > 0 && widthOf(`${chars.join("")}…`, font) > width) chars.pop();
  return `${chars.join("")}…`;
}
