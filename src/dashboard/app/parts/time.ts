import { formatElapsed } from "../../../views/index.ts";

/** `09:31:02`, with the day when it was not today. */
export function clockText(iso: string, nowMs: number): string {
  const at = new Date(iso);
  const time = at.toLocaleTimeString("en-GB");
  const today = new Date(nowMs);
  if (at.toDateString() === today.toDateString()) return time;
  const yesterday = new Date(nowMs - 86_400_000);
  if (at.toDateString() === yesterday.toDateString()) return `yesterday ${time.slice(0, 5)}`;
  const isThisYear = at.getFullYear() === today.getFullYear();
  const day = at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
  return `${day} ${time.slice(0, 5)}`;
}

export const agoText = (ms: number): string => (ms < 2000 ? "now" : `${formatElapsed(ms)} ago`);
