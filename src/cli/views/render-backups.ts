import type { MachineBackup } from "../../plan/index.ts";
import type { CheckedBackup, ListedBackups } from "../../operations/index.ts";
import { drawLines, line, type Canvas } from "./text/line.ts";
import { formatBytes, formatElapsed, formatNumber } from "../../views/index.ts";
import { style } from "./text/style.ts";

/** Pure. The newest first; what is none of ours below, with the reason. */
export function backupTable(listed: ListedBackups[], now: number): string {
  const all = listed.flatMap(({ backups }) => backups);
  const notes = listed.flatMap(({ cluster, backups, foreign, isOverdue }) => [
    ...foreign.map(({ place, name, why }) => `left alone: ${place}/${name}: ${why}`),
    ...(isOverdue
      ? [
          `${cluster}: ${backups.length === 0 ? "no backup" : "the newest backup is too old"}. Take one: slipway backup ${cluster}`,
        ]
      : []),
  ]);
  if (all.length === 0 && notes.length === 0) return "No backups. Take one with: slipway backup CLUSTER\n";
  const rows = [
    ["BACKUP", "AGE", "SIZE", "RUNS", "PLACE"],
    ...all.map(({ name, takenAt, sizeBytes, versions, place }) => [
      name,
      formatElapsed(Math.max(0, now - takenAt)),
      formatBytes(sizeBytes),
      Object.entries(versions)
        .map(([what, version]) => `${what} ${version}`)
        .join(", "),
      place,
    ]),
  ];
  return `${[...(all.length === 0 ? [] : tableLines(rows)), ...notes].join("\n")}\n`;
}

/** Pure. Oldest first within each node, as they were taken. */
export function machineBackupTable(backups: MachineBackup[]): string {
  if (backups.length === 0)
    return "No backups of machines. Take some with: slipway up --backup-machines STORAGE\n";
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
  return `${tableLines(rows).join("\n")}\n`;
}

function tableLines(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd(),
  );
}

/** What was proven, and what was not. */
export function renderCheckedBackup({ source, contents, snapshot }: CheckedBackup, canvas: Canvas): string {
  const { glyphs } = style(canvas);
  const { cluster, madeAt, versions, members, machines, needs } = contents;
  const runs = Object.entries(versions)
    .map(([what, version]) => `${what} ${version}`)
    .join(", ");
  const trial = snapshot.tried
    ? line(
        ["ok", glyphs.done],
        ` ${snapshot.by} restored the snapshot: revision ${snapshot.revision}, ${formatNumber(snapshot.totalKeys, "key")}`,
      )
    : line(["warn", glyphs.warning], ` the snapshot was not tried: ${snapshot.because}`);
  return drawLines(
    [
      line(["ok", glyphs.done], " ", ["strong", source]),
      line(`  of      ${cluster}, ${formatNumber(machines.length, "machine")}, ${runs}`),
      line(`  taken   ${madeAt.slice(0, 19).replace("T", " ")} UTC`),
      line(`  whole   ${formatNumber(members.length, "file")}, each with the size and hash it was made with`),
      ...(needs.length === 0 ? [] : [line(`  needs   ${needs.join(", ")}`)]),
      trial,
    ],
    canvas,
  );
}
