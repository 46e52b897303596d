import type { HostView, ServiceRun } from "../linux/index.ts";

/** Ends the program: its message is the last line of its journal. */
export class Fatal extends Error {
  override readonly name = "Fatal";
}

/** What K3s writes, in the form of its logger. */
export interface Journal {
  /** `fields` stand behind the message: `name=cp-1`. */
  info(message: string, fields?: Record<string, string>): void;
  warn(message: string): void;
  error(message: string): void;
  fatal(message: string): void;
  /** A line of etcd, which logs in a form of its own. */
  etcd(fields: Record<string, string>): void;
  /** A line as it is. */
  plain(line: string): void;
}

export function journalOf({ clock }: Pick<HostView, "clock">, run: Pick<ServiceRun, "log">): Journal {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, string> = {}) => {
      const time = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`);
      run.log(`time="${time}" level=${level} msg=${quoted(message)}${rest.join("")}`);
    };
  return {
    info: write("info"),
    warn: write("warning"),
    error: write("error"),
    fatal: write("fatal"),
    etcd: ({ level = "warn", ...rest }) =>
      run.log(JSON.stringify({ level, ts: new Date(clock.now()).toISOString(), ...rest })),
    plain: (line) => run.log(line),
  };
}

/** A word that needs no quotes gets none. */
const quoted = (message: string): string =>
  /^[\w\-./@^+]+$/.test(message) ? message : JSON.stringify(message);
