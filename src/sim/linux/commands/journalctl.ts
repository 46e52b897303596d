import { unitName } from "../systemd/index.ts";
import { printed, readOptions, type Command } from "./command.ts";

const asked = { u: "unit", n: "lines", o: "output", b: "boot" } as const;

export const journalctl: Command = ({ host, args }) => {
  const { options } = readOptions(args, ["u", "n", "o", "unit", "lines", "output"]);
  const value = (letter: keyof typeof asked): string | undefined =>
    options.get(letter) ?? options.get(asked[letter]);
  const unit = value("u");
  const boot = value("b") === undefined ? undefined : host.disk.boots;
  const entries = host.systemd.journal.of(unit === undefined ? undefined : unitName(unit), boot);
  const count = Number(value("n") ?? Infinity);
  const last = Number.isFinite(count) ? (count === 0 ? [] : entries.slice(-count)) : entries;
  const isPlain = value("o") === "cat";
  if (last.length === 0) return printed(isPlain ? "" : "-- No entries --\n");
  const stamp = (at: number): string =>
    `${months[new Date(at).getUTCMonth()]} ${new Date(at).toISOString().slice(8, 19).replace("T", " ")}`;
  return printed(
    last
      .map(({ at, by, line }) =>
        isPlain
          ? `${line}\n`
          : `${stamp(at)} ${host.disk.hostname} ${by}[${by === "systemd" ? 1 : 901}]: ${line}\n`,
      )
      .join(""),
  );
};

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
