import { drawLines, line, marked, type Canvas } from "./text/line.ts";
import { style } from "./text/style.ts";
import { wrapText } from "./text/width.ts";

export interface ShownInit {
  file: string;
  lines: number;
  hosts: string[];
  made: string[];
  written: string[];
}

/** What to type after `init`, in this order. */
export const afterInit = ["slipway rehearse", "slipway plan", "slipway up"] as const;

/** Why a file is there that nobody asked for. */
const notes: Record<string, string> = {
  ".gitignore": "   keeps .slipway/ out of git",
  ".slipway/slipway.schema.json": "   lets editors complete and check the file",
};

/** What was made and written, and the three commands to go on. */
export function renderInit({ file, lines, hosts, made, written }: ShownInit, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const others = written.filter((name) => name !== file);
  const does = [
    "try it, simulated: nothing is touched",
    `what would be made on ${hosts.join(", ")}`,
    "make it real",
  ];
  const width = Math.max(...afterInit.map((command) => command.length));
  return drawLines(
    [
      ...made.flatMap((what) => marked(["ok", "+"], what, canvas, "  ")),
      line(["ok", glyphs.done], " ", ["strong", file], ` written, ${lines} lines`),
      ...others.flatMap((name) => marked(["ok", glyphs.done], `${name}${notes[name] ?? ""}`, canvas)),
      ...afterInit.flatMap((command, index) =>
        wrapText(does[index] ?? "", canvas.columns - 11 - width).map((part, row) =>
          line(
            index === 0 && row === 0 ? "  next  " : "        ",
            ["strong", (row === 0 ? command : "").padEnd(width)],
            `   ${part}`,
          ),
        ),
      ),
    ],
    canvas,
  );
}
