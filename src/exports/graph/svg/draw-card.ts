import type { XmlPiece } from "../../../lib/index.ts";
import type { Counted } from "../fold.ts";
import { markText } from "../marks.ts";
import type { Machine } from "../model.ts";
import { disksText, placeText, roleText, sizesText } from "../texts.ts";
import { box, cardClass, fonts, hint, text, toneOf, type Drawing } from "./canvas.ts";
import { widthOf, wrap, type Font } from "./measure.ts";

/** A machine as a card: name and role, address, sizes, disks, and what is to be said about it. */
export interface Card extends Drawing {
  /** With another height, so that cards of one row end together. */
  asHighAs(height: number): XmlPiece[];
}

const padding = 12;
const lineHeight = 17;
const mostNoteLines = 3;

interface Row {
  text: string;
  className: string;
  font: Font;
}

/** How wide the card of a machine wants to be: nothing but its note is ever put on several lines. */
export function cardWidth(machine: Machine & Counted): number {
  const head = widthOf(machine.name, fonts.name) + 14 + widthOf(roleText(machine), fonts.small);
  return 2 * padding + Math.max(head, ...rowsOf(machine).map((row) => widthOf(row.text, row.font)));
}

const rowsOf = (machine: Machine): Row[] =>
  [
    { text: placeText(machine), className: "mono", font: fonts.mono },
    { text: sizesText(machine), className: "dim", font: fonts.text },
    { text: disksText(machine), className: "dim", font: fonts.text },
  ].filter((row) => row.text !== "");

export function drawCard(machine: Machine & Counted, width: number): Card {
  const { mark, note, role } = machine;
  const said = mark === undefined ? "" : markText(mark, note);
  const notes = said === "" ? [] : wrap(said, width - 2 * padding, fonts.small, mostNoteLines);
  const rows: Row[] = [
    ...rowsOf(machine),
    ...notes.map((line) => ({
      text: line,
      className: `small ${mark === undefined ? "dim" : toneOf(mark)}`,
      font: fonts.small,
    })),
  ];
  const height = 2 * padding + 12 + rows.length * lineHeight;
  const content = [
    text(padding, padding + 11, machine.name, "name"),
    text(width - padding, padding + 11, roleText(machine), "small dim", "end"),
    ...rows.map((row, index) =>
      text(padding, padding + 12 + (index + 1) * lineHeight - 1, row.text, row.className),
    ),
  ];
  const stripe = role === "control-plane" ? "accent" : "worker";
  const asHighAs = (given: number): XmlPiece[] => [
    box(0, 0, width, given, cardClass(mark), 7),
    box(0, 9, 4, given - 18, stripe, 2),
    ...content,
    ...(notes.at(-1)?.endsWith("…") ? [hint(said)] : []),
  ];
  return { pieces: asHighAs(height), width, height, asHighAs };
}
