import { blank, drawLines, line, type Canvas, type Line, type Span } from "./text/line.ts";
import { padEnd, widthOf, wrapText } from "./text/width.ts";
import { listNames } from "../../views/index.ts";

export interface HomeInput {
  version: string;
  /** The cluster file found here, and what is in it. */
  file?: { name: string; clusters: string[]; isValid: boolean } | undefined;
  /** Whether a command exists; what does not is not shown. */
  offers?: (command: string) => boolean;
}

type Entry = [command: string, does: string];

const sections: [title: string, entries: Entry[]][] = [
  [
    "Start",
    [
      ["init", "write a cluster file"],
      ["rehearse", "try it, simulated"],
      ["validate", "check the file"],
      ["plan", "what would change"],
    ],
  ],
  [
    "Run",
    [
      ["up", "make it real"],
      ["down", "take it away"],
      ["upgrade", "newer versions"],
      ["replace", "rebuild one node"],
    ],
  ],
  [
    "Look",
    [
      ["status", "what is there"],
      ["verify", "is it healthy"],
      ["doctor", "why is it not"],
      ["graph, ui", "draw it, watch it"],
    ],
  ],
];

const keepers = [
  "backup",
  "restore",
  "kubeconfig",
  "talosconfig",
  "export",
  "adopt",
  "sim",
  "schema",
  "completion",
];

/** What `slipway` alone prints: where you are, and what can be typed. */
export function renderHome({ version, file, offers = () => true }: HomeInput, canvas: Canvas): string {
  const isNarrow = canvas.columns < 60;
  const kept = keepers.filter(offers);
  const lines: Line[] = [
    line(
      ["strong", `Slipway ${version}`],
      isNarrow ? "" : "   one file, running Kubernetes on your own hypervisors",
    ),
    blank,
    ...fileLines(file, isNarrow),
    blank,
    ...sections.flatMap(([title, entries]) => sectionLines(title, existing(entries, offers), isNarrow)),
    ...keepLines(kept, canvas),
    blank,
    ...wrapText("slipway COMMAND --help shows its options and one example.", canvas.columns).map((part) =>
      line(["dim", part]),
    ),
  ];
  return drawLines(lines, canvas);
}

const titleWidth = 10;

function keepLines(commands: string[], canvas: Canvas): Line[] {
  if (commands.length === 0) return [];
  return wrapText(commands.join(", "), canvas.columns - titleWidth).map((part, index) =>
    line(padEnd(index === 0 ? "Keep" : "", titleWidth), ["strong", part]),
  );
}

/** An entry may name several commands, and what each does; those that exist stay. */
const existing = (entries: Entry[], offers: (command: string) => boolean): Entry[] =>
  entries.flatMap(([commands, does]): Entry[] => {
    const names = commands.split(", ");
    const known = names.filter(offers);
    if (known.length === 0) return [];
    const kept =
      names.length === 1
        ? does
        : does
            .split(", ")
            .filter((_, index) => offers(names[index] ?? ""))
            .join(", ");
    return [[known.join(", "), kept]];
  });

function fileLines(file: HomeInput["file"], isNarrow: boolean): Line[] {
  if (!file) return [line("  No cluster file here. Start with: ", ["strong", "slipway init"])];
  if (!file.isValid) return [line(`  ${file.name} here has mistakes; run "slipway validate"`)];
  const names = padEnd(listNames(file.clusters), 18);
  const found: Span[] = [`  ${file.name} here: `, ["strong", names]];
  const valid = '(valid; run "slipway status")';
  return isNarrow ? [line(...found), line(`  ${valid}`)] : [line(...found, valid)];
}

function sectionLines(title: string, entries: Entry[], isNarrow: boolean): Line[] {
  const perRow = isNarrow ? 1 : 2;
  const widths = Array.from({ length: perRow }, (_, column) => {
    const own = entries.filter((_entry, index) => index % perRow === column);
    return Math.max(10, ...own.map(([command]) => widthOf(command)));
  });
  const lines: Line[] = [];
  for (let index = 0; index < entries.length; index += perRow) {
    const spans: Span[] = [padEnd(index === 0 ? title : "", titleWidth)];
    entries.slice(index, index + perRow).forEach(([command, does], column) => {
      spans.push(
        ["strong", padEnd(command, widths[column] ?? 0)],
        "  ",
        column < perRow - 1 ? padEnd(does, 28) : does,
      );
    });
    lines.push(line(...spans));
  }
  return lines;
}
