/** Screens of a terminal as one SVG: played as a film where that is welcome, else the last one as a still. */

export interface Film {
  title: string;
  columns: number;
  /** Each is the lines of one moment, with the colours a terminal was told. */
  frames: readonly (readonly string[])[];
  frameMs: number;
  /** How long the last frame stays before the film begins again. */
  holdMs: number;
}

const cell = { width: 8.4, height: 19 };
const bar = 34;
const margin = 16;

/** The sixteen colours as `src/cli/views/text/style.ts` uses them: what stands between ESC [ and m, and our class for it. */
const classes: Record<string, string> = {
  "1": "b",
  "90": "d",
  "32": "g",
  "36": "c",
  "33": "y",
  "31": "r",
  "35;1": "m b",
  "35;1;7": "i b",
};
const reverse = classes["35;1;7"];

/** The ground is part of the picture, so that it fits a page of either scheme. */
const schemes = {
  light: {
    ...{ ground: "#ffffff", edge: "#d1d9e0", ink: "#1f2328", dim: "#59636e", ok: "#1a7f37" },
    ...{ run: "#0b6e8a", warn: "#9a6700", bad: "#cf222e", risk: "#8250df" },
  },
  dark: {
    ...{ ground: "#0d1117", edge: "#3d444d", ink: "#f0f6fc", dim: "#9198a1", ok: "#3fb950" },
    ...{ run: "#56d4dd", warn: "#d29922", bad: "#f85149", risk: "#ab7df8" },
  },
};

const fills = ({ ground, edge, ink, dim, ok, run, warn, bad, risk }: typeof schemes.light): string =>
  [
    `.ground{fill:${ground};stroke:${edge}}.edge{fill:${edge}}text{fill:${ink}}.d{fill:${dim}}.g{fill:${ok}}.c{fill:${run}}`,
    `.y{fill:${warn}}.r{fill:${bad}}.m,.mark{fill:${risk}}.i{fill:${ground}}`,
  ].join("");

const look = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.b{font-weight:700}
${fills(schemes.light)}
@media(prefers-color-scheme:dark){${fills(schemes.dark)}}`;

export function terminalSvg({ title, columns, frames, frameMs, holdMs }: Film): string {
  const rows = Math.max(...frames.map((lines) => lines.length));
  const [width, height] = [
    Math.ceil(columns * cell.width) + 2 * margin,
    bar + rows * cell.height + 2 * margin,
  ];
  const lines = [...new Set(frames.flat())].filter((line) => line !== "");
  const ids = new Map(lines.map((line, index) => [line, `l${index.toString(36)}`]));
  const drawn = frames.map((frame, index) => {
    const uses = frame.flatMap((line, row) =>
      line === "" ? [] : [`<use href="#${ids.get(line)}" y="${(row + 1) * cell.height}"/>`],
    );
    return `<g transform="translate(${index * width})">${uses.join("")}</g>`;
  });
  const last = frames.length - 1;
  const playMs = last * frameMs;
  const wholeMs = playMs + holdMs;
  const rest = `translate(${-last * width}px)`;
  const film = `@media(prefers-reduced-motion:no-preference){.film{animation:film ${wholeMs}ms infinite}}
@keyframes film{0%{transform:translate(0);animation-timing-function:steps(${last})}${((100 * playMs) / wholeMs).toFixed(3)}%,100%{transform:${rest}}}`;
  const dots = [0, 1, 2].map((nth) => `<circle cx="${20 + nth * 18}" cy="${bar / 2}" r="5.5"/>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escape(title)}</title>
<style>${look}
${film}</style>
<defs>
${lines.map((line) => lineSvg(line, ids.get(line) ?? "")).join("\n")}
</defs>
<rect class="ground" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<g class="edge">${dots}</g>
<svg x="${margin}" y="${bar}" width="${width - 2 * margin}" height="${height - bar}">
<g class="film" transform="translate(${-last * width})">
${drawn.join("\n")}
</g>
</svg>
</svg>
`;
}

/** Every piece stands at its own column and takes its cells, whatever font draws it. */
function lineSvg(line: string, id: string): string {
  const pieces = piecesOf(line).map(({ column, text, role }) => {
    const length = text.length > 1 ? ` textLength="${at(text.length)}"` : "";
    const paint = role === "" ? "" : ` class="${role}"`;
    const mark = `<rect class="mark" x="${at(column)}" y="-14" width="${at(text.length)}" height="${cell.height}"/>`;
    const drawn = `<text x="${at(column)}"${length}${paint}>${escape(text)}</text>`;
    return role === reverse ? mark + drawn : drawn;
  });
  return `<g id="${id}">${pieces.join("")}</g>`;
}

const at = (columns: number): string => String(Math.round(columns * cell.width * 10) / 10);

interface Piece {
  column: number;
  text: string;
  role: string;
}

/** The painted and the plain parts of a line; blanks between columns are left out. */
function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let [column, role] = [0, ""];
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
  for (const [index, part] of line.split(/\x1b\[([\d;]*)m/).entries()) {
    if (index % 2 === 1) {
      role = part === "0" ? "" : (classes[part] ?? "");
      continue;
    }
    for (const { 0: text, index: begin } of part.matchAll(/\S+(?: \S+)*/g))
      pieces.push({ column: column + begin, text, role });
    column += part.length;
  }
  return pieces;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
