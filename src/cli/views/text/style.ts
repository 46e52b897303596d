export type Role = "strong" | "dim" | "ok" | "run" | "warn" | "bad" | "risk" | "reverse";

/** Only the 16 colours of the user's own theme. */
const codes: Record<Role, string> = {
  strong: "1",
  dim: "90",
  ok: "32",
  run: "36",
  warn: "33",
  bad: "31",
  risk: "35;1",
  reverse: "35;1;7",
};

/** What stands between ESC [ and m in everything that is painted. */
export const paintCodes: readonly string[] = ["0", ...Object.values(codes)];

const unicodeGlyphs = {
  done: "✓",
  running: "▸",
  waiting: "◌",
  queued: "◦",
  skipped: "-",
  failed: "✗",
  warning: "!",
  create: "+",
  hot: "~",
  disturb: "↻",
  reboot: "↻",
  roll: "↻",
  replace: "±",
  remove: "−",
  data: "!",
  critical: "━",
  rest: "─",
  arrow: "→",
  bar: "│",
  cut: "…",
};

export type Glyphs = typeof unicodeGlyphs;

const asciiGlyphs: Glyphs = {
  done: "v",
  running: ">",
  waiting: "o",
  queued: ".",
  skipped: "-",
  failed: "x",
  warning: "!",
  create: "+",
  hot: "~",
  disturb: "@",
  reboot: "@",
  roll: "@",
  replace: "/",
  remove: "-",
  data: "!",
  critical: "#",
  rest: "-",
  arrow: "->",
  bar: "|",
  cut: "...",
};

export interface Style {
  paint(role: Role, text: string): string;
  glyphs: Glyphs;
}

/** What a screen can show, as far as it matters for colours and marks. */
export interface Abilities {
  readonly hasColor: boolean;
  readonly isUnicode: boolean;
}

export function style(screen: Abilities): Style {
  return {
    paint: (role, text) => (screen.hasColor && text !== "" ? `\x1b[${codes[role]}m${text}\x1b[0m` : text),
    glyphs: screen.isUnicode ? unicodeGlyphs : asciiGlyphs,
  };
}

/** Words of others may hold arrows and dots that an ASCII terminal cannot draw. */
const replacements: Record<string, string> = {
  "→": "->",
  "…": "...",
  "·": ".",
  "−": "-",
  "–": "-",
  "±": "/",
  "↻": "@",
  "━": "#",
  "─": "-",
  "│": "|",
  "✓": "v",
  "▸": ">",
  "◌": "o",
  "◦": ".",
  "✗": "x",
  "×": "x",
  "“": '"',
  "”": '"',
  "’": "'",
};
const replaceable = new RegExp(`[${Object.keys(replacements).join("")}]`, "gu");

export const toAscii = (text: string): string =>
  text.replace(replaceable, (character) => replacements[character] ?? "?");
