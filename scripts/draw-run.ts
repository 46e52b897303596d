/**
 * Draws docs/images/up.svg: what a person sees while the program rehearses an example, made from the events of that very run.
 * Run: npm run build && npx tsx scripts/draw-run.ts
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { liveView } from "../src/cli/views/index.ts";
import type { RunEvent } from "../src/plan/index.ts";
import { terminalSvg } from "./terminal-svg.ts";

const root = resolve(import.meta.dirname, "..");
const example = "examples/quickstart.yaml";
const typed = `slipway rehearse ${example}`;
/** As fast as `slipway rehearse` plays it to somebody who watches. */
const speed = 20;
const frameMs = 250;
const columns = 80;

/** The events of a rehearsal by the built program; its times are the same on every machine. */
export function recordRun(): RunEvent[] {
  const args = ["bin/slipway.js", ...typed.split(" ").slice(1), "--json", "--speed", "1000"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`"${args.join(" ")}" ended with ${status}: ${stdout}${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
}

/** The run as a film, from the command as it is typed to the last line. */
export function drawRun(events: readonly RunEvent[]): string {
  const terminal = paintedTerminal();
  let [nowMs, redraw] = [0, (): void => {}];
  const after = (_ms: number, run: () => void) => {
    redraw = run;
    return () => (redraw = () => {});
  };
  const view = liveView({
    out: terminal,
    err: terminal,
    now: () => nowMs,
    wall: { now: () => nowMs / speed, sleep: () => Promise.resolve(), after },
    timer: { after },
  });
  const prompt = `\x1b[90m$\x1b[0m ${typed}`;
  const frames = [[prompt]];
  let next = 0;
  for (let untilMs = 0; next < events.length; untilMs += frameMs * speed) {
    for (let event = events[next]; event && event.ms <= untilMs; event = events[next]) {
      nowMs = event.ms;
      view.tell(event);
      next += 1;
    }
    nowMs = untilMs;
    redraw();
    frames.push([prompt, "", ...terminal.lines()]);
  }
  view.close();
  return terminalSvg({ title: typed, columns, frames, frameMs, holdMs: 8_000 });
}

/** As much of a terminal as the live tree uses: whole lines, and a cursor that goes up and down between them. */
// oxlint-disable no-control-regex -- escape sequences are what is looked for
function paintedTerminal() {
  const lines: string[] = [];
  let row = 0;
  const obey = (sequence: string): void => {
    const count = Number.parseInt(sequence.slice(2), 10);
    if (sequence.endsWith("A\r")) row -= count;
    if (sequence.endsWith("B\r")) row += count;
    if (sequence.endsWith("J")) lines.length = row;
  };
  return {
    ...{ columns, rows: 24, hasColor: true, isUnicode: true, isTerminal: true },
    write(text: string): void {
      // A line is written whole, so there is nothing to erase at its end.
      const told = text.replaceAll(/\x1b\[(?:K|\?25[hl])/g, "");
      for (const part of told.split(/(\x1b\[\d+[AB]\r|\x1b\[J|[^\n]*\n)/)) {
        if (part.endsWith("\n")) lines[row++] = part.trimEnd();
        else obey(part);
      }
    },
    lines: () => [...lines],
  };
}

if (process.argv[1] === import.meta.filename) {
  const file = join(root, "docs/images/up.svg");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, drawRun(recordRun()));
}
