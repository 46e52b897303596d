import { visibleText } from "../../../lib/index.ts";
import { paintCodes, type Abilities } from "./style.ts";

/** Where a view writes. Its size may change at any time, so it is read again for every drawing. */
export interface Screen extends Abilities {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
  readonly isTerminal: boolean;
}

export type Env = Record<string, string | undefined>;

/** What a screen needs of a stream; `process.stdout` has it. */
export interface OutputStream {
  write(text: string): unknown;
  columns?: number;
  rows?: number;
  isTTY?: boolean;
}

const fewestColumns = 40;
const mostColumns = 200;

export function screenFor(stream: OutputStream, env: Env): Screen {
  const isTerminal = stream.isTTY === true;
  const own = ownCodes({ isTerminal, hasColor: hasColor(isTerminal, env) });
  return {
    write: (text) => void stream.write(withOwnCodesOnly(text, own)),
    get columns() {
      return Math.min(mostColumns, Math.max(fewestColumns, stream.columns || 80));
    },
    get rows() {
      return stream.rows || 24;
    },
    hasColor: hasColor(isTerminal, env),
    isUnicode: isUnicode(env),
    isTerminal,
  };
}

/** What views draw with: their few colours where there are any, and on a terminal the moves of a live region. */
function ownCodes({ isTerminal, hasColor: isPainted }: Pick<Screen, "isTerminal" | "hasColor">): RegExp {
  const colours = `\\x1b\\[(?:${paintCodes.join("|")})m`;
  const moves = "\\x1b\\[\\d+[AB]\\r?|\\x1b\\[[JK]|\\x1b\\[\\?25[hl]";
  return new RegExp(
    `(${[...(isPainted ? [colours] : []), ...(isTerminal ? [moves] : []), "\\r\\n"].join("|")})`,
  );
}

/** The last barrier: whatever of servers and files gets here without a view can no longer turn or hide text. */
const withOwnCodesOnly = (text: string, own: RegExp): string =>
  text
    .split(own)
    .map((part, index) => (index % 2 === 0 ? visibleText(part) : part))
    .join("");

/** The live tree moves the cursor; where that is no help, plain lines are written instead. */
export function wantsLive(screen: Screen, env: Env, flags: { plain?: boolean } = {}): boolean {
  if (flags.plain || !screen.isTerminal) return false;
  return !isOn(env["CI"]) && env["TERM"] !== "dumb" && !isOn(env["ACCESSIBLE"]);
}

function hasColor(isTerminal: boolean, env: Env): boolean {
  if (isOn(env["NO_COLOR"])) return false;
  if (env["FORCE_COLOR"] !== undefined) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}

function isUnicode(env: Env): boolean {
  if (isOn(env["SLIPWAY_ASCII"])) return false;
  if (env["TERM"] === "linux" || env["TERM"] === "dumb") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  // East Asian terminals draw lines, bars and arrows two cells wide, which breaks every column.
  if (/^(zh|ja|ko)([_.@-]|$)/i.test(locale)) return false;
  return /utf-?8/i.test(locale);
}

const isOn = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value !== "false";
