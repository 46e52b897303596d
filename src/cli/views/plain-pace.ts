import type { StepId } from "../../plan/index.ts";

/** Decides when a log speaks of something that goes on: often enough to show life, seldom enough to be read. */
export interface Pace {
  speaksOf(step: StepId, beganMs: number, nowMs: number, seen: string): boolean;
}

/** A wait whose numbers tick would say something new with every look. */
const leastBetweenMs = 5_000;
/** Rounded times of one wait differ a little; waits that began further apart are two. */
const apartMs = 1_000;

/** At 10s, 30s, then every minute, and whenever what is seen changes. */
export function newPace(): Pace {
  const spoken = new Map<StepId, { beganMs: number; seen: string; atMs: number }>();
  return {
    speaksOf(step, beganMs, nowMs, seen) {
      const known = spoken.get(step);
      const isSameWait = known !== undefined && Math.abs(known.beganMs - beganMs) < apartMs;
      const last = isSameWait ? known : { beganMs, seen, atMs: beganMs };
      const isNew =
        last.seen !== seen &&
        (withoutDigits(last.seen) !== withoutDigits(seen) || nowMs - last.atMs >= leastBetweenMs);
      const speaks = isNew || isDue(last.atMs - last.beganMs, nowMs - last.beganMs);
      spoken.set(step, speaks ? { ...last, seen, atMs: nowMs } : last);
      return speaks;
    },
  };
}

function isDue(spokenMs: number, sinceMs: number): boolean {
  const marks = [10_000, 30_000, Math.floor(sinceMs / 60_000) * 60_000];
  return marks.some((mark) => mark > 0 && sinceMs >= mark && spokenMs < mark);
}

const withoutDigits = (text: string): string => text.replace(/[\d.]+/g, "#");
