import { splitCommand } from "../split-command.ts";

/** What a service's unit file says, as far as it is simulated. */
export interface UnitFile {
  description: string;
  type: string;
  /** The program and its arguments. */
  execStart: string[];
  restart: string;
  restartMs: number;
  /** Absent: for ever. */
  startTimeoutMs?: number | undefined;
  wantedBy: string[];
  startLimit: { burst: number; intervalMs: number };
}

const defaultTimeoutMs = 90_000;

/** Reads `[Section]` and `Key=value`; a line that ends in a backslash goes on in the next. */
export function readUnitFile(text: string, name: string): UnitFile {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.replace(/\\\n/g, " ").split("\n")) {
    const trimmed = line.trim();
    if (trimmed === "" || /^[#;]/.test(trimmed)) continue;
    const [, title] = /^\[(.+)\]$/.exec(trimmed) ?? [];
    if (title !== undefined) section = title;
    else values.set(`${section}.${trimmed.split("=")[0]?.trim()}`, trimmed.replace(/^[^=]*=\s*/, ""));
  }
  const said = (key: string): string | undefined => values.get(key);
  const start = said("Service.TimeoutStartSec") ?? said("Service.TimeoutSec");
  const startTimeoutMs = start === undefined ? defaultTimeoutMs : spanMs(start);
  return {
    description: said("Unit.Description") ?? name,
    type: said("Service.Type") ?? "simple",
    execStart: splitCommand((said("Service.ExecStart") ?? "").replace(/^[-@:+!]+/, "")),
    restart: said("Service.Restart") ?? "no",
    restartMs: spanMs(said("Service.RestartSec") ?? "100ms"),
    startTimeoutMs: startTimeoutMs > 0 && Number.isFinite(startTimeoutMs) ? startTimeoutMs : undefined,
    wantedBy: (said("Install.WantedBy") ?? "").split(/\s+/).filter((target) => target !== ""),
    startLimit: {
      burst: Number(said("Unit.StartLimitBurst") ?? 5),
      intervalMs: spanMs(said("Unit.StartLimitIntervalSec") ?? "10s"),
    },
  };
}

const units: Record<string, number> = { ms: 1, s: 1000, sec: 1000, min: 60_000, m: 60_000, h: 3_600_000 };

/** `5s`, `1min 30s`, `0` or `infinity`; a bare number is seconds. */
export function spanMs(text: string): number {
  if (text.trim() === "infinity") return Infinity;
  return [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit || "s"] ?? 1000),
    0,
  );
}
