import type { Screen } from "../text/screen.ts";
import { widthOf } from "../text/width.ts";

/** What the region owns: its lines, and the cursor below them. */
export interface LiveRegion {
  /** Prints `finished` above the region, where it stays, and draws `lines`. */
  update(finished: readonly string[], lines: readonly string[]): void;
  /** Takes the region away and gives the cursor back. */
  close(): void;
}

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
const eraseLine = "\x1b[K";
const eraseBelow = "\x1b[J";

/** The last lines of a terminal, redrawn in place. Nothing above them is ever touched again. */
export function liveRegion(screen: Screen): LiveRegion {
  let drawn: string[] = [];
  let isHidden = false;
  let size = "";

  const sizeNow = () => `${screen.columns}x${screen.rows}`;

  /** A narrower terminal has wrapped what stood there, so it takes more rows now. */
  const rowsTaken = () =>
    drawn.reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOf(text) / screen.columns)), 0);

  const ended = (text: string): string =>
    // At the last column the cursor still stands on the last character, and erasing would take it.
    widthOf(text) >= screen.columns ? `${text}\r\n` : `${text}${eraseLine}\r\n`;

  const repaint = (finished: readonly string[], lines: readonly string[], isResized: boolean): string => {
    const top = rowsTaken();
    const up = top > 0 ? `\x1b[${top}A\r` : "";
    const wipe = isResized ? eraseBelow : "";
    return up + wipe + [...finished, ...lines].map(ended).join("") + eraseBelow;
  };

  const redrawChanged = (lines: readonly string[]): string => {
    let text = "";
    let row = lines.length;
    lines.forEach((next, index) => {
      if (next === drawn[index]) return;
      text += moveBetween(row, index) + ended(next);
      row = index + 1;
    });
    return text === "" ? "" : text + moveBetween(row, lines.length);
  };

  return {
    update(finished, lines) {
      const isResized = size !== "" && size !== sizeNow();
      const isSame = !isResized && finished.length === 0 && lines.length === drawn.length;
      const text = isSame ? redrawChanged(lines) : repaint(finished, lines, isResized);
      size = sizeNow();
      drawn = [...lines];
      if (text === "") return;
      const hide = !isHidden && lines.length > 0 ? hideCursor : "";
      isHidden ||= hide !== "";
      screen.write(hide + text);
    },
    close() {
      const wiped = drawn.length > 0 ? repaint([], [], false) : "";
      drawn = [];
      const show = isHidden ? showCursor : "";
      isHidden = false;
      if (wiped + show !== "") screen.write(wiped + show);
    },
  };
}

function moveBetween(from: number, to: number): string {
  if (from === to) return "";
  return from > to ? `\x1b[${from - to}A\r` : `\x1b[${to - from}B\r`;
}
