import type { Adoption, Rekeyed, ShownSecret } from "../../../operations/index.ts";
import type { RenewedCredential } from "../../../plan/index.ts";
import { drawLines, hint, line, marked, sentence, wholeLine, type Canvas, type Line } from "../text/line.ts";
import { style } from "../text/style.ts";
import { layOut } from "../text/table.ts";
import { padEnd, widthOf, wrapText } from "../text/width.ts";

const none = "no secrets yet; slipway up makes them";

/** Which files there are, and whether a key at hand opens them. */
export function renderSecrets(found: ShownSecret[], canvas: Canvas): string {
  if (found.length === 0) return drawLines(sentence(none, canvas), canvas);
  const isStale = found.some(({ form, wanted, isForeign }) => form !== wanted && !isForeign);
  return drawLines(
    [
      ...fileLines(
        found.map((secret) => ({
          file: secret.file,
          text: secretText(secret),
          isWell: secret.canOpen && !isExposed(secret),
        })),
        canvas,
      ),
      ...(isStale ? hint("next", "slipway secrets rekey", canvas) : []),
    ],
    canvas,
  );
}

/** It lies there for everybody to read who gets hold of it, and the cluster file wants it closed. */
const isExposed = ({ form, wanted }: ShownSecret): boolean => form === "plain" && wanted !== "plain";

function secretText({ form, wanted, canOpen, isForeign }: ShownSecret): string {
  if (isForeign) return "a plain copy of encrypted secrets that Slipway did not make; delete it";
  if (wanted === "no copy") return "a plain copy of encrypted secrets";
  const how =
    form === "plain" ? "plain" : `${form}${canOpen ? ", you can open it" : ", no key at hand opens it"}`;
  return form === wanted ? how : `${how}; the file wants ${wanted}`;
}

/** What was written again, and how it lies there now. */
export function renderRekeyed(done: Omit<Rekeyed, "name">[], canvas: Canvas): string {
  if (done.length === 0) return drawLines(sentence(none, canvas), canvas);
  const rows = done.map(({ file, before, after }) => ({
    ...{ file, text: rekeyedText(before, after), isWell: after !== "foreign" },
  }));
  return drawLines(fileLines(rows, canvas), canvas);
}

function rekeyedText(before: string, after: Rekeyed["after"]): string {
  if (after === "removed") return "a plain copy; removed";
  if (after === "foreign") return "a plain copy of secrets that Slipway did not make; delete it";
  return before === after ? `${after}, with the keys of the file` : `was ${before}, is ${after}`;
}

/** A file to a line with what there is to say; below it where the screen is too narrow for both. */
function fileLines(rows: { file: string; text: string; isWell: boolean }[], canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const width = Math.max(...rows.map(({ file }) => widthOf(file)));
  const isNarrow = rows.some(({ text }) => 2 + width + 3 + widthOf(text) > canvas.columns);
  return rows.flatMap(({ file, text, isWell }) => {
    const mark = isWell ? (["ok", glyphs.done] as const) : (["bad", glyphs.failed] as const);
    return isNarrow
      ? [wholeLine([...mark], ` ${file}`), ...marked(" ", text, canvas)]
      : [wholeLine([...mark], ` ${padEnd(file, width)}   ${text}`)];
  });
}

/** Secrets that lie in a file of ours now: taken over, or read back. */
export const savedSecretsText = (file: string, isNew: boolean, cluster: string): string =>
  `${file} ${isNew ? "written" : "was there already"}: the secrets of ${cluster}`;

export function renderRecovered(
  found: { cluster: string; file: string; isNew: boolean; provenBy: string[] },
  canvas: Canvas,
): string {
  const { cluster, file, isNew, provenBy } = found;
  return drawLines(
    [
      ...marked(["ok", style(canvas).glyphs.done], savedSecretsText(file, isNew, cluster), canvas),
      ...hint("proof", `${provenBy.join(", ")} and the Kubernetes API let in whoever has them`, canvas),
      ...hint("next", `slipway plan ${cluster}`, canvas),
    ],
    canvas,
  );
}

/** Access files and keys that were issued anew, and what becomes of those before. */
export const renderRenewed = (renewed: RenewedCredential[], canvas: Canvas): string =>
  drawLines(
    renewed.flatMap(({ credential, file, old }) => [
      ...marked(["ok", style(canvas).glyphs.done], `${credential} issued anew   ${file}`, canvas),
      ...hint("old", old, canvas),
    ]),
    canvas,
  );

export const renderRotatedToken = (
  { cluster, file, hosts }: { cluster: string; file: string; hosts: string[] },
  canvas: Canvas,
): string =>
  drawLines(
    [
      ...marked(
        ["ok", style(canvas).glyphs.done],
        `Token of ${cluster} replaced on ${hosts.join(", ")}; the old one is refused from now on`,
        canvas,
      ),
      ...hint("file", file, canvas),
      ...hint(
        "next",
        "Give it to the cluster: update the secret its cloud controller manager and storage driver read",
        canvas,
      ),
    ],
    canvas,
  );

const states: Record<Adoption["nodes"][number]["state"], string> = {
  ours: "answers with these secrets",
  maintenance: "waits for its first config",
  "other-cluster": "belongs to another cluster",
  unreachable: "does not answer",
};

/** How many nodes are listed before the rest is only counted. */
const mostShown = 20;

/** Secrets that were taken over, and which nodes know them. */
export function renderAdoption({ cluster, file, isNew, nodes }: Adoption, canvas: Canvas): string {
  const shown = nodes.slice(0, mostShown);
  const isNarrow = canvas.columns < 60;
  const names = layOut(
    shown.map(({ node, address }) => (isNarrow ? [node] : [node, address])),
    [{ gap: 3 }, {}],
    canvas.columns,
  ).map((cells) => cells.join(""));
  const width = Math.max(...names.map(widthOf)) + 5;
  const ours = nodes.filter(({ state }) => state === "ours").length;
  return drawLines(
    [
      ...marked(["ok", style(canvas).glyphs.done], savedSecretsText(file, isNew, cluster), canvas),
      ...shown.flatMap(({ state, know }, index) =>
        wrapText(`${states[state]}${know === undefined ? "" : `: ${know}`}`, canvas.columns - width).map(
          (part, row) => line(padEnd(row === 0 ? `  ${names[index] ?? ""}` : "", width), part),
        ),
      ),
      ...(nodes.length > mostShown ? [line(`  and ${nodes.length - mostShown} more`)] : []),
      ...marked(" ", `${ours} of ${nodes.length} nodes of the file answer with these secrets`, canvas),
      ...hint("next", `slipway plan ${cluster}`, canvas),
    ],
    canvas,
  );
}
