type Line = { mark: " " | "-" | "+"; text: string };

const contextLines = 3;

/** What differs between two texts, in the form of `diff -u`; empty when nothing does. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(before.split("\n"), after.split("\n"));
  return ["--- a", "+++ b", ...hunks(lines)].map((line) => `${line}\n`).join("");
}

/** The longest common run of lines, by the table everybody learns; configs are small. */
function compare(before: string[], after: string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  const [old, next] = [before.slice(start), after.slice(start)];
  const width = next.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        old[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = before.slice(0, start).map((text) => ({ mark: " ", text }));
  let [i, j] = [0, 0];
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ mark: " ", text: old[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= next.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: "-", text: old[i] ?? "" });
      i += 1;
    } else {
      lines.push({ mark: "+", text: next[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

function hunks(lines: Line[]): string[] {
  const shown = new Set(
    lines.flatMap(({ mark }, index) =>
      mark === " " ? [] : Array.from({ length: contextLines * 2 + 1 }, (_, n) => index - contextLines + n),
    ),
  );
  const text: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let index = 0; index < lines.length;) {
    let end = index;
    while (end < lines.length && shown.has(end)) end += 1;
    const hunk = lines.slice(index, end);
    const count = (other: Line["mark"]) => hunk.filter(({ mark }) => mark !== other).length;
    if (hunk.length > 0) {
      text.push(`@@ -${oldLine},${count("+")} +${newLine},${count("-")} @@`);
      text.push(...hunk.map(({ mark, text: content }) => `${mark}${content}`));
    }
    oldLine += count("+");
    newLine += count("-");
    if (end === index) {
      oldLine += 1;
      newLine += 1;
      end += 1;
    }
    index = end;
  }
  return text;
}
