import { SlipwayError } from "../../errors/index.ts";
import { diskFixed, machineDenied, poolFull, qemuDied } from "./errors.ts";

/** What libvirt says when a machine does not start, in words that lead somewhere. */
export function explainStart(thrown: unknown, machine: string): unknown {
  if (!(thrown instanceof SlipwayError)) return thrown;
  const { why } = thrown;
  if (/permission denied|apparmor|selinux|could not open.*denied/i.test(why))
    return machineDenied({ machine, path: /'([^']*\/[^']*)'/.exec(why)?.[1], reason: why, cause: thrown });
  if (/unexpectedly closed the monitor|process exited|monitor socket/i.test(why))
    return qemuDied({ machine, lines: lastLines(why), cause: thrown });
  return thrown;
}

/** A full pool meets whoever makes or fills a volume; one of devices, whoever wants more of it. */
export function explainVolume(thrown: unknown, volume: string, pool: string): unknown {
  if (!(thrown instanceof SlipwayError)) return thrown;
  if (/no space left|not enough|insufficient free space|enospc/i.test(thrown.why))
    return poolFull({ volume, pool, reason: thrown.why, cause: thrown });
  if (/cannot grow device files|does not support changing of volume capacity/i.test(thrown.why))
    return diskFixed({ volume, pool, cause: thrown });
  return thrown;
}

/** QEMU's own last words stand at the end, each behind the time. */
const lastLines = (why: string): string =>
  why
    .split("\n")
    .map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, "").trim())
    .filter((line) => line !== "")
    .slice(-3)
    .join("; ");
