import { groupBy } from "../../../lib/index.ts";
import { formatEstimate } from "../../../views/index.ts";
import { blank, commandHint, drawLines, line, type Canvas, type Line } from "../text/line.ts";
import { wrapText } from "../text/width.ts";
import { warningLines } from "./render-moves.ts";

/** The steps that are left of the exchange of an authority. */
export interface RotationInput {
  cluster: string;
  /** `Talos API CA`. */
  title: string;
  /** In their order, each with what its stage comes to. */
  steps: { stage: string; node?: string | undefined; usualMs: number }[];
  warnings: string[];
  /** How it is finished, where it ends before that. */
  finish?: string | undefined;
}

/** Stage by stage what is left to do, where it ends, and what to know before. */
export function renderRotation(input: RotationInput, canvas: Canvas): string {
  const { cluster, title, warnings, finish } = input;
  return drawLines(
    [
      { left: [["strong", cluster], `   rotate the ${title}`] },
      blank,
      ...stageLines(input, canvas),
      ...(finish === undefined
        ? []
        : commandHint("then", "it waits, with both accepted, for:", finish, canvas)),
      blank,
      ...warnings.flatMap((text) => warningLines(text, canvas)),
    ],
    canvas,
  );
}

function stageLines({ steps }: RotationInput, canvas: Canvas): Line[] {
  return [...groupBy(steps, ({ stage }) => stage)].flatMap(([stage, own], index) => {
    const nodes = own.flatMap(({ node }) => node ?? []);
    const tookMs = own.reduce((sum, { usualMs }) => sum + usualMs, 0);
    const where = nodes.length === 0 ? "files only" : nodes.join(", ");
    return [
      line("  ", ["strong", `${index + 1}  ${stage}`]),
      ...wrapText(`${where}; ~${formatEstimate(tookMs)}`, canvas.columns - 5).map((part) =>
        line("     ", part),
      ),
    ];
  });
}
