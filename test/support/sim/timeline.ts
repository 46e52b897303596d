import type { EventBody } from "../../../src/plan/index.ts";

/** What happened when, one line each, as it must be in every run on every machine. */
export function timelineOf(timed: readonly { ms: number; event: EventBody }[]): string {
  return timed
    .map(({ ms, event }) => `${ms.toFixed(0).padStart(7)} ${event.type.padEnd(8)} ${steady(wordsOf(event))}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function wordsOf(event: EventBody): string {
  switch (event.type) {
    case "check":
      return [event.cluster, event.host, event.id, event.status, event.found].filter(Boolean).join(" ");
    case "plan":
      return `${event.steps.length} steps`;
    case "waiting":
      return [event.step, `for ${event.what}:`, event.lastSeen, event.cause].filter(Boolean).join(" ");
    case "progress":
      // How many bytes a packet brings is a matter of chance.
      return event.unit === "bytes"
        ? `${event.step} of ${event.total} bytes`
        : `${event.step} ${event.done} of ${event.total} ${event.unit}`;
    case "log":
      return `${event.level} ${event.text}`;
    case "done":
      return `${event.outcome} after ${event.tookMs} ms, ${event.ownMs ?? 0} ms of them Slipway's own`;
    default:
      return "step" in event ? (event.step ?? "") : "";
  }
}

/** Names that are made from keys, which nobody can foresee. */
const steady = (text: string): string =>
  text
    .replaceAll(/-[0-9a-f]{10}(?=-[0-9a-f]{5}\b)/g, "-HASH")
    .replaceAll(/\b[0-9a-f]{16}\b/g, "ID")
    .replaceAll(/SHA256:\S+/g, "SHA256:KEY")
    // Which of several nodes is first to be trusted is a matter of chance.
    .replaceAll(/(?:warn|info) \S+ (is trusted on first contact), fingerprint [\w+/]{43}=.*/g, "$1")
    .replaceAll(/slipway-rehearsal-\w+/g, "FOLDER");
