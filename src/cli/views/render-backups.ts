import type { MachineBackup } from "../../plan/index.ts";
import type { CheckedBackup, ListedBackups } from "../../operations/index.ts";
import { drawLines, hint, marked, sentence, wholeLine, type Canvas, type Line } from "./text/line.ts";
import { formatBytes, formatElapsed, formatNumber } from "../../views/index.ts";
import { style } from "./text/style.ts";
import { layOut } from "./text/table.ts";

/** The newest first; what is none of ours below, with the reason. */
export function backupTable(listed: ListedBackups[], now: number, canvas: Canvas): string {
  const all = listed.flatMap(({ backups }) => backups);
  const notes = listed.flatMap(({ cluster, backups, foreign, isOverdue }) => [
    ...foreign.flatMap(({ place, name, why }) => sentence(`left alone: ${place}/${name}: ${why}`, canvas)),
    ...(isOverdue ? overdueLines(cluster, backups.length === 0, canvas) : []),
  ]);
  if (all.length === 0 && notes.length === 0)
    return drawLines(sentence("No backups. Take one with: slipway backup CLUSTER", canvas), canvas);
  const rows = [
    ["BACKUP", "AGE", "SIZE", "RUNS", "PLACE"],
    ...all.map(({ name, takenAt, sizeBytes, versions, place }) => [
      name,
      formatElapsed(Math.max(0, now - takenAt)),
      formatBytes(sizeBytes),
      versionsText(versions),
      place,
    ]),
  ];
  return drawLines([...(all.length === 0 ? [] : tableLines(rows, canvas)), ...notes], canvas);
}

/** Oldest first within each node, as they were taken. */
export function machineBackupTable(backups: MachineBackup[], canvas: Canvas): string {
  if (backups.length === 0)
    return drawLines(
      sentence("No backups of machines. Take some with: slipway up --backup-machines STORAGE", canvas),
      canvas,
    );
  const rows = [
    ["NODE", "BACKUP", "TAKEN (UTC)", "SIZE", "BY"],
    ...backups.map(({ cluster, node, archive, takenAt, sizeBytes, isOurs }) => [
      `${cluster}/${node}`,
      archive,
      takenAt.slice(0, 19).replace("T", " "),
      formatBytes(sizeBytes),
      isOurs ? "Slipway" : "others",
    ]),
  ];
  return drawLines(tableLines(rows, canvas), canvas);
}

/** The first two columns are what restore and replace are given, so they stay whole. */
function tableLines(rows: string[][], canvas: Canvas): Line[] {
  const columns = [
    { gap: 3 },
    { gap: 3 },
    { gap: 3, dropFirst: 3 },
    { gap: 3, dropFirst: 1 },
    { dropFirst: 2 },
  ];
  return layOut(rows, columns, canvas.columns).map((cells) => wholeLine(cells.join("")));
}

const overdueLines = (cluster: string, isNone: boolean, canvas: Canvas): Line[] =>
  marked(
    ["warn", style(canvas).glyphs.warning],
    `${cluster}: ${isNone ? "no backup" : "the newest backup is too old"}. Take one: slipway backup ${cluster}`,
    canvas,
  );

const versionsText = (versions: Record<string, string>): string =>
  Object.entries(versions)
    .map(([what, version]) => `${what} ${version}`)
    .join(", ");

/** What was proven, and what was not. */
export function renderCheckedBackup({ source, contents, snapshot }: CheckedBackup, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const { cluster, madeAt, versions, members, machines, needs } = contents;
  const trial = snapshot.tried
    ? marked(
        ["ok", glyphs.done],
        `${snapshot.by} restored the snapshot: revision ${snapshot.revision}, ${formatNumber(snapshot.totalKeys, "key")}`,
        canvas,
      )
    : marked(["warn", glyphs.warning], `the snapshot was not tried: ${snapshot.because}`, canvas);
  const row = (label: string, text: string): Line[] => hint(label, text, canvas);
  return drawLines(
    [
      wholeLine(["ok", glyphs.done], " ", ["strong", source]),
      ...row("of", `${cluster}, ${formatNumber(machines.length, "machine")}, ${versionsText(versions)}`),
      ...row("taken", `${madeAt.slice(0, 19).replace("T", " ")} UTC`),
      ...row(
        "whole",
        `${formatNumber(members.length, "file")}, each with the size and hash it was made with`,
      ),
      ...(needs.length === 0 ? [] : row("needs", needs.join(", "))),
      ...trial,
    ],
    canvas,
  );
}
